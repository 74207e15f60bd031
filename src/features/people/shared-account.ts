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
    reviewChannel,
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

  /** Applies a channel of the environment once, when it is new: later changes by people stay, however often it restarts. */
  async function once(
    field: string,
    wanted: ChannelId | undefined,
    apply: (channel: ChannelId) => Promise<unknown>,
  ): Promise<void> {
    if (wanted === undefined) return void (await redis.hdel(applied, field));
    if ((await redis.hget(applied, field)) === wanted) return;
    await apply(wanted);
    await redis.hset(applied, field, wanted);
  }

  async function subscribe(ref: AccountRef, channel: ChannelId): Promise<void> {
    const subscribed = await channels.subscriptions.ofAccount(ref);
    const existing = subscribed.find(({ campaign }) => campaign === undefined);
    const wanted = { account: ref.account, channel, at: clock.now(), started: false };
    // An existing one is stored again: a process that died may have stored it only partly.
    const subscription = existing?.channel === channel ? existing : wanted;
    await channels.subscriptions.put(workspace, subscription, existing?.channel);
  }

  /** Routes the inbox to a channel, unless a member has chosen one. */
  async function chooseInbox(ref: AccountRef, channel: ChannelId): Promise<void> {
    if ((await channels.inbox.get(ref))?.by === undefined)
      await channels.inbox.choose(ref, { channel, at: clock.now() }, { how: 'setting' });
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
    await once(`${ref.account} inbox`, inboxChannel, (channel) => chooseInbox(ref, channel));
    await once(ref.account, reviewChannel, (channel) => subscribe(ref, channel));
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
