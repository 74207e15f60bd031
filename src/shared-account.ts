import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import type { AccountId, AccountRef, WorkspaceId } from './domain/terms.ts';
import { messageOf } from './errors.ts';
import { sharedKeyReplaced } from './features/accounts/found-account.view.ts';
import type { FeatureContext } from './features/shared/context.ts';
import { accountsWithCampaigns, recognizeAccount } from './features/shared/same-account.ts';
import { isCallFailure, MarketplaceError } from './marketplace/index.ts';
import { sharedKeyOwner } from './store/accounts.ts';
import { workspaceKey } from './store/keys.ts';

type Parts = Pick<
  FeatureContext,
  | 'accounts'
  | 'audit'
  | 'campaigns'
  | 'clientFor'
  | 'grants'
  | 'inboxChannels'
  | 'jobs'
  | 'leases'
  | 'listings'
  | 'logger'
  | 'messengerOf'
  | 'now'
  | 'sharedChannels'
  | 'subscriptions'
> & {
  readonly redis: Redis;
  readonly workspace: WorkspaceId;
  readonly lockMs: number;
  readonly startPolling: (ref: AccountRef) => Promise<void>;
};

/** The account of a key; without one, the key gets an account of its own. */
interface Identity {
  readonly continues?: AccountId;
  /** Titles of the campaigns by which the account was just recognized. */
  readonly recognizedBy?: readonly string[];
}

/** Timeout for the list of campaigns during a start (ms). */
const listTimeoutMs = 5_000;
/** Backoff before a key without a known account is retried (ms): doubles up to the longest. */
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
  const { redis, accounts, subscriptions, leases, logger, workspace, now } = parts;
  /** The REVIEW_CHANNEL of each account, and its INBOX_CHANNEL, that were last applied. */
  const applied = workspaceKey(workspace, 'review-channels');
  const ending = new AbortController();
  /** The account of the key, in case Redis loses it. */
  let identified: AccountId | undefined;
  let retrying: Promise<void> | undefined;

  /**
   * Returns the account that the key continues, if any; `undefined` while the marketplace does not say. A new key takes over
   * an account whose campaigns it sees: nobody can be asked at a start, and whoever sets the environment has the key.
   */
  async function identify(key: string): Promise<Identity | undefined> {
    const known = (await accounts.ofKey(workspace, key))?.account ?? identified;
    if (known !== undefined) return { continues: known };
    // There is no account to continue: the start needs no answer from the marketplace.
    if ((await accountsWithCampaigns(parts, workspace)).length === 0) return {};
    const client = parts.clientFor(key);
    try {
      const seen = await client.listCampaigns({ deadlineMs: listTimeoutMs });
      const same = await recognizeAccount(parts, workspace, new Set(seen.map(({ id }) => id)));
      if (same === undefined) return {};
      const common = seen.filter(({ id }) => same.common.includes(id));
      return { continues: same.ref.account, recognizedBy: common.map(({ title }) => title) };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const isRefused = error instanceof MarketplaceError && error.isAuthentication;
      logger.warn(
        { err: error },
        isRefused
          ? 'the marketplace does not accept MARKETPLACE_API_KEY: the account keeps its former key, trying again'
          : 'the account of MARKETPLACE_API_KEY cannot be identified yet, trying again',
      );
      return undefined;
    } finally {
      await client.close();
    }
  }

  async function notify(ref: AccountRef, titles: readonly string[]): Promise<void> {
    const subscription = await subscriptions.forNotices(ref);
    if (subscription === undefined || !(await leases.claimOnce(workspace, `new key ${ref.account}`))) return;
    if (!(await parts.sharedChannels.mayPost(ref, subscription.channel))) return;
    try {
      await parts.messengerOf(workspace).post(subscription.channel, sharedKeyReplaced(titles));
    } catch (error) {
      logger.warn({ reason: messageOf(error), channel: subscription.channel }, 'notice not posted');
    }
  }

  /** Queues the decisions that waited for the key; those of the previous account then show that its key is gone. */
  async function releaseDecisions(ref: AccountRef, before: AccountRef | undefined): Promise<void> {
    await parts.jobs.add('release', ref);
    if (before !== undefined && before.account !== ref.account) await parts.jobs.add('release', before);
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
      const lock = await leases.acquire(ref, 'review-channel', parts.lockMs);
      if (lock === undefined) {
        await delay(100);
        continue;
      }
      try {
        if (await isApplied()) return;
        const existing = (await subscriptions.ofAccount(ref)).find(({ campaign }) => campaign === undefined);
        const wanted = { account: ref.account, channel, at: now(), started: false };
        // An existing one is stored again: a process that died may have stored it only partly.
        await subscriptions.put(workspace, existing?.channel === channel ? existing : wanted);
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
    const chosen = await parts.inboxChannels.get(ref);
    if (chosen?.by === undefined)
      await parts.inboxChannels.choose(ref, { channel: inboxChannel, at: now() }, { how: 'setting' });
    await redis.hset(applied, field, inboxChannel);
  }

  /** Resolves to the account; undefined without a key, or while the marketplace does not say which account it is. */
  async function tryConnect(): Promise<AccountRef | undefined> {
    if (apiKey === undefined) {
      await accounts.disconnect(workspace, sharedKeyOwner);
      await redis.del(applied);
      return undefined;
    }
    const identity = await identify(apiKey);
    if (identity === undefined) return undefined;
    const before = await accounts.shared(workspace);
    const ref = await accounts.connect(workspace, sharedKeyOwner, apiKey, identity.continues);
    identified = ref.account;
    await releaseDecisions(ref, before);
    if (identity.recognizedBy !== undefined) {
      await notify(ref, identity.recognizedBy);
      // Work that waits for the account sees that a key works.
      await parts.listings.list(ref).catch((error: unknown) => {
        if (!isCallFailure(error)) throw error;
      });
    }
    await applyInboxChannel(ref);
    await applyChannel(ref);
    return ref;
  }

  /** Connects as soon as the marketplace says which account it is. */
  async function retry(): Promise<void> {
    for (let wait = retryMs.first; ; wait = Math.min(wait * 2, retryMs.longest)) {
      try {
        await delay(wait, undefined, { signal: ending.signal });
        const ref = await tryConnect();
        if (ref === undefined) continue;
        if ((await subscriptions.ofAccount(ref)).length > 0) await parts.startPolling(ref);
        return;
      } catch (error) {
        if (ending.signal.aborted) return;
        logger.warn({ err: error }, 'shared account not connected, trying again');
      }
    }
  }

  return {
    /**
     * Connects and subscribes. Idempotent: may be called at any time, by several processes at once. While the marketplace
     * does not say which account a new key belongs to, it is asked again, and meanwhile nothing changes.
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
