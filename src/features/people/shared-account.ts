import type { Redis } from 'ioredis';
import {
  type AccountRef,
  type CampaignId,
  type ChannelId,
  sharedAccountName,
  type WorkspaceId,
} from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { isCallFailure, MarketplaceError } from '../../marketplace/index.ts';
import { fingerprintOf, sharedKeyOwner } from '../../store/accounts.ts';
import { workspaceKey } from '../../store/format.ts';

type Parts = Modules & {
  readonly redis: Redis;
  readonly workspace: WorkspaceId;
};

/** Timeout for the list of campaigns during a start (ms). */
const listTimeoutMs = 5_000;

/** Creates the workspace's shared account (MARKETPLACE_API_KEY) and its channels (REVIEW_CHANNEL, INBOX_CHANNEL). */
export function createSharedAccount(
  {
    marketplace: { apiKey },
    reviewChannel: channel,
    inboxChannel,
  }: {
    readonly marketplace: { readonly apiKey?: string };
    readonly reviewChannel?: ChannelId;
    readonly inboxChannel?: ChannelId;
  },
  parts: Parts,
) {
  const { people, campaigns, channels, log, clock, redis, workspace } = parts;
  /** The fingerprint of the key, and the REVIEW_CHANNEL and INBOX_CHANNEL of each account, that were last applied. */
  const applied = workspaceKey(workspace, 'review-channels');
  /** Why the key was not taken, as last logged. */
  let said = '';
  let isConnected = false;

  /**
   * Returns the account of the key; undefined while the key is not taken. A new key is taken for an account with campaigns
   * only if it lists one of them: a key of another account could not serve what waits.
   */
  async function accountOf(key: string): Promise<AccountRef | undefined> {
    const account =
      (await people.accounts.shared(workspace)) ??
      (await people.accounts.named(workspace, sharedAccountName));
    // There is no account to continue: the start needs no answer from the marketplace.
    if (account === undefined) return people.accounts.create(workspace, key, sharedAccountName);
    const known = await people.accounts.ofKey(workspace, key);
    if (known?.account === account.account) return account;
    const name = await people.accounts.nameOf(account);
    const ids = new Set(await campaigns.ids(account));
    try {
      if (known === undefined && (ids.size === 0 || (await listsAny(key, ids)))) return account;
      tell(
        `MARKETPLACE_API_KEY is not used: it lists no campaign of the account “${name}”, which keeps its former keys. Set a key of that account. To add another account, type /proofdesk connect in Slack`,
      );
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const isRefused = error instanceof MarketplaceError && error.isAuthentication;
      tell(
        isRefused
          ? `The marketplace rejects MARKETPLACE_API_KEY: the account “${name}” keeps its former keys. Set a key that works`
          : 'MARKETPLACE_API_KEY cannot be checked yet, trying again',
        error,
      );
    }
    return undefined;
  }

  /** Returns whether a key lists one of these campaigns. */
  async function listsAny(key: string, ids: ReadonlySet<CampaignId>): Promise<boolean> {
    const listed = await parts.marketplace.clientFor(key).listCampaigns({ deadlineMs: listTimeoutMs });
    return listed.some(({ id }) => ids.has(id));
  }

  /** Logs why the key is not taken, once. */
  function tell(why: string, err?: Error): void {
    if (why !== said) log.error({ err }, why);
    said = why;
  }

  /** Stores the key, unless an owner has replaced it since the environment had another one. */
  async function storeKey(ref: AccountRef, key: string): Promise<void> {
    const fingerprint = fingerprintOf(workspace, key);
    const isStored =
      (await redis.hget(applied, 'key')) === fingerprint &&
      (await people.accounts.shared(workspace)) !== undefined &&
      (await people.accounts.unreadable(workspace)) === 0;
    if (isStored) return;
    await people.accounts.connect(ref, sharedKeyOwner, key);
    await redis.hset(applied, 'key', fingerprint);
    await parts.jobs.add('release', ref);
  }

  /** Applies REVIEW_CHANNEL once, when it is new: later changes of subscriptions stay, however often the process restarts. */
  async function applyChannel(ref: AccountRef): Promise<void> {
    if (channel === undefined) {
      await redis.hdel(applied, ref.account);
      return;
    }
    if ((await redis.hget(applied, ref.account)) === channel) return;
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const existing = subscribed.find(({ campaign }) => campaign === undefined);
    const wanted = { account: ref.account, channel, at: clock.now(), started: false };
    // An existing one is stored again: a process that died may have stored it only partly.
    await channels.subscriptions.put(
      workspace,
      existing?.channel === channel ? existing : wanted,
      existing?.channel,
    );
    await redis.hset(applied, ref.account, channel);
  }

  /** Routes the inbox to INBOX_CHANNEL when that is new, unless a member has chosen a channel: its id may change later. */
  async function applyInboxChannel(ref: AccountRef): Promise<void> {
    const field = `${ref.account} inbox`;
    if (inboxChannel === undefined) {
      await redis.hdel(applied, field);
      return;
    }
    if ((await redis.hget(applied, field)) === inboxChannel) return;
    const chosen = await parts.channels.inbox.get(ref);
    if (chosen?.by === undefined)
      await parts.channels.inbox.choose(ref, { channel: inboxChannel, at: clock.now() }, { how: 'setting' });
    await redis.hset(applied, field, inboxChannel);
  }

  /** Returns whether the key is taken, and everything applied. */
  async function connected(): Promise<boolean> {
    if (apiKey === undefined) {
      await people.accounts.disconnect(workspace, sharedKeyOwner);
      await redis.del(applied);
      return true;
    }
    const ref = await accountOf(apiKey);
    if (ref === undefined) return false;
    await storeKey(ref, apiKey);
    await applyInboxChannel(ref);
    await applyChannel(ref);
    return true;
  }

  return {
    /**
     * Connects and subscribes. Idempotent: may be called at any time, by several processes at once. While the key is not
     * taken, nothing changes, and the next call tries again; so it does when Redis has lost the account.
     */
    async connect(): Promise<void> {
      if (isConnected && (apiKey === undefined || (await people.accounts.shared(workspace)) !== undefined))
        return;
      isConnected = await connected();
    },
  };
}
