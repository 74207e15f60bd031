import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import type { WorkspaceId } from './domain/terms.ts';
import type { AccountLeases } from './store/account-leases.ts';
import { type Accounts, sharedKeyOwner } from './store/accounts.ts';
import { workspaceKey } from './store/keys.ts';
import type { Subscriptions } from './store/subscriptions.ts';

/**
 * Connects the workspace's shared account (MARKETPLACE_API_KEY) and subscribes its channel (REVIEW_CHANNEL). Each value of
 * REVIEW_CHANNEL is applied once, when it is new: what people subscribe and unsubscribe later stays, however often the
 * process starts. Changes nothing when all that is so already: may be called at any time, by several processes at once.
 */
export async function connectSharedAccount(
  config: Config,
  parts: {
    redis: Redis;
    accounts: Accounts;
    subscriptions: Subscriptions;
    leases: AccountLeases;
    workspace: WorkspaceId;
    lockMs: number;
    now: () => number;
  },
): Promise<void> {
  const { redis, accounts, subscriptions, leases, workspace } = parts;
  const { apiKey } = config.marketplace;
  /** Maps each account to the channel that was applied last. */
  const applied = workspaceKey(workspace, 'review-channels');
  if (apiKey === undefined) {
    await accounts.disconnect(workspace, sharedKeyOwner);
    await redis.del(applied);
    return;
  }
  const ref = await accounts.connect(workspace, sharedKeyOwner, apiKey);
  const channel = config.reviewChannel;
  if (channel === undefined) {
    await redis.hdel(applied, ref.account);
    return;
  }
  const isApplied = async () => (await redis.hget(applied, ref.account)) === channel;
  while (!(await isApplied())) {
    // When several processes start together, one applies it: another could undo what a member changed meanwhile.
    const lock = await leases.acquire(ref, 'review-channel', parts.lockMs);
    if (lock === undefined) {
      await delay(100);
      continue;
    }
    try {
      if (await isApplied()) return;
      const existing = (await subscriptions.ofAccount(ref)).find(({ campaign }) => campaign === undefined);
      const wanted = { account: ref.account, channel, at: parts.now(), started: false };
      // An existing one is stored again: a process that died may have stored only a part.
      await subscriptions.put(workspace, existing?.channel === channel ? existing : wanted);
      await redis.hset(applied, ref.account, channel);
    } finally {
      await lock.release();
    }
  }
}
