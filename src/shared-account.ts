import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import { type AccountRef, type CampaignId, sharedAccountName, type WorkspaceId } from './domain/terms.ts';
import type { Modules } from './features/modules.ts';
import { isCallFailure, MarketplaceError } from './marketplace/index.ts';
import { fingerprintOf, sharedKeyOwner } from './store/accounts.ts';
import { workspaceKey } from './store/keys.ts';

type Parts = Modules & {
  readonly redis: Redis;
  readonly workspace: WorkspaceId;
  readonly lockMs: number;
  readonly startPolling: (ref: AccountRef) => Promise<void>;
};

/** Timeout for the list of campaigns during a start (ms). */
const listTimeoutMs = 5_000;
/** Backoff before a key that was not taken is retried (ms): doubles up to the longest. */
const retryMs = { first: 1_000, longest: 30_000 };

/** Connects the workspace's shared account (MARKETPLACE_API_KEY) and subscribes its channel (REVIEW_CHANNEL). */
export function createSharedAccount(
  {
    marketplace: { apiKey },
    reviewChannel: channel,
    inboxChannel,
  }: Pick<Config, 'inboxChannel' | 'marketplace' | 'reviewChannel'>,
  parts: Parts,
) {
  const { people, campaigns, channels, jobs, log, clock, redis, workspace } = parts;
  /** The fingerprint of the key, and the REVIEW_CHANNEL and INBOX_CHANNEL of each account, that were last applied. */
  const applied = workspaceKey(workspace, 'review-channels');
  const ending = new AbortController();
  /** Why the key was not taken, as last logged. */
  let said = '';
  let retrying: Promise<void> | undefined;

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
    const client = parts.marketplace.clientFor(key);
    try {
      return (await client.listCampaigns({ deadlineMs: listTimeoutMs })).some(({ id }) => ids.has(id));
    } finally {
      await client.close();
    }
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

  /**
   * Applies REVIEW_CHANNEL once, when it is new: later changes of subscriptions are kept, however often the process
   * restarts.
   */
  async function applyChannel(ref: AccountRef): Promise<void> {
    if (channel === undefined) {
      await redis.hdel(applied, ref.account);
      return;
    }
    const isApplied = async () => (await redis.hget(applied, ref.account)) === channel;
    while (!(await isApplied())) {
      // When several processes start together, one applies it: another could undo a member's change made meanwhile.
      const lock = await jobs.leases.acquire(ref, 'review-channel', parts.lockMs);
      if (lock === undefined) {
        await delay(100);
        continue;
      }
      try {
        if (await isApplied()) return;
        const existing = (await channels.subscriptions.ofAccount(ref)).find(
          ({ campaign }) => campaign === undefined,
        );
        const wanted = { account: ref.account, channel, at: clock.now(), started: false };
        // An existing one is stored again: a process that died may have stored it only partly.
        await channels.subscriptions.put(workspace, existing?.channel === channel ? existing : wanted);
        await redis.hset(applied, ref.account, channel);
      } finally {
        await lock.release();
      }
    }
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

  /** Resolves to the account; undefined without a key, or while it is not taken. */
  async function tryConnect(): Promise<AccountRef | undefined> {
    if (apiKey === undefined) {
      await people.accounts.disconnect(workspace, sharedKeyOwner);
      await redis.del(applied);
      return undefined;
    }
    const ref = await accountOf(apiKey);
    if (ref === undefined) return undefined;
    await storeKey(ref, apiKey);
    await applyInboxChannel(ref);
    await applyChannel(ref);
    return ref;
  }

  /** Tries again until the key is taken. */
  async function retry(): Promise<void> {
    for (let wait = retryMs.first; ; wait = Math.min(wait * 2, retryMs.longest)) {
      try {
        await delay(wait, undefined, { signal: ending.signal });
        const ref = await tryConnect();
        if (ref === undefined) continue;
        if ((await channels.subscriptions.ofAccount(ref)).length > 0) await parts.startPolling(ref);
        return;
      } catch (error) {
        if (ending.signal.aborted) return;
        log.warn({ err: error }, 'shared account not connected, trying again');
      }
    }
  }

  return {
    /**
     * Connects and subscribes. Idempotent: may be called at any time, by several processes at once. A key that is not taken
     * is tried again, and meanwhile nothing changes.
     */
    async connect(): Promise<void> {
      const ref = await tryConnect();
      if (ref !== undefined || apiKey === undefined || retrying !== undefined) return;
      retrying = retry().finally(() => {
        retrying = undefined;
      });
    },

    async stop(): Promise<void> {
      ending.abort();
      await retrying;
    },
  };
}
