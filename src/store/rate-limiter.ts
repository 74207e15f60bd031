import type { Redis } from 'ioredis';
import type { AccountRef, ChannelId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './keys.ts';
import {
  blockScript,
  reserveBackgroundScript,
  reserveCallScript,
  reserveCsvScript,
  reservePostScript,
} from './rate-limit-scripts.ts';

/** The limits for posting in a workspace and its channels, and for reading results. */
export interface RateLimits {
  /** Slack: about one message a second and channel. */
  readonly channelMs: number;
  /** Slack: several hundred messages a minute and workspace. */
  readonly workspaceMs: number;
  /**
   * Distance between background calls of a method while Slack limits it in the workspace. The lowest limit in use is that of
   * Tier 3, 50 a minute (https://docs.slack.dev/apis/web-api/rate-limits); calls for people need a few of them.
   */
  readonly backgroundMs: number;
  /**
   * Bytes of results CSV read per minute and account, for campaigns large enough to count. A whole minute's allowance may be
   * read at once, so that a new task does not wait for the read that found the previous one.
   */
  readonly csvBytesPerMinute: number;
  /** Requests to the marketplace per second, with one API key and from one process; defaults to what its client assumes. */
  readonly marketplacePerSecond?: number;
}

export const defaultRateLimits: RateLimits = {
  channelMs: 1_000,
  workspaceMs: 150,
  backgroundMs: 1_300,
  csvBytesPerMinute: 16_000_000,
};

/** Limit of unused time that counts when results are read (ms). */
const csvBurstMs = 60_000;

/**
 * The longest time (ms) for which a limit in one channel delays the background calls of the others: Slack counts calls per
 * minute. A channel that it limits for longer waits alone.
 */
const longestForAllMs = 60_000;

/** How long a reserved slot stays valid after its time (ms). */
const slotValidMs = 10_000;

export const postMethod = 'chat.postMessage';

/** A Slack method and where it is called: the unit that Slack limits. */
export interface LimitedCall {
  readonly workspace: WorkspaceId;
  readonly method: string;
  /** Absent for methods that name no channel. */
  readonly channel?: ChannelId;
  /**
   * Whether nobody waits for the call. As long as Slack limits one of these, all of the workspace wait, each for its own slot:
   * a thousand channels are not tried in turn.
   */
  readonly isBackground?: boolean;
}

/** How one job calls Slack. */
export interface CallSlack {
  /**
   * Calls Slack if the rate limit allows it now. Throws to have the job retried later, also when Slack itself limits the
   * call.
   */
  <T>(call: Pick<LimitedCall, 'method' | 'channel'>, run: () => Promise<T>): Promise<T>;
  /**
   * Reserves the slot at which the job posts to a channel. Throws to have the job retried `aheadMs` before the slot: the
   * data for the post are fetched then, so that the slot is not wasted. Also throws when the slot is nearer but was only
   * just reserved: jobs fetch in the order of their slots, and none waits for the fetches of later jobs before it gets its
   * slot. Returns the slot (ms).
   */
  reservePost(channel: ChannelId, aheadMs: number): Promise<number | undefined>;
}

/**
 * Returns the function by which one job calls Slack.
 * @param reserved the slot (ms) that the job has waited for
 * @param isBackground whether nobody waits for the job's calls, see {@link LimitedCall}
 */
export type CallSlackOf = (
  workspace: WorkspaceId,
  reserved: number | undefined,
  isBackground?: boolean,
) => CallSlack;

export interface Slot {
  /** How long to wait (ms); 0: now. */
  readonly waitMs: number;
  /** The reserved slot (ms), to be passed to `acquire` again at that time. */
  readonly reserved?: number;
  /** For how long Slack limits the call (ms), unless it is a post. */
  readonly limitedMs?: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Creates the rate limiter. All processes share its reservations.
 * @param now the bot's time
 */
export function createRateLimiter(redis: Redis, limits: RateLimits, now: () => number = Date.now) {
  const blockedKey = ({ workspace, method, channel }: LimitedCall) =>
    workspaceKey(workspace, 'rate-limit', 'held', method, channel ?? 'all');

  const backgroundKey = ({ workspace, method }: LimitedCall) =>
    workspaceKey(workspace, 'rate-limit', 'background', method);

  async function isLimited(call: LimitedCall): Promise<boolean> {
    const [blocked, background] = await redis.mget(blockedKey(call), backgroundKey(call));
    // Stored for some time after they have passed, see slotValidMs.
    return Number(blocked) > now() || (call.isBackground === true && Number(background) > now());
  }

  const countKey = (workspace: WorkspaceId, method: string, minute: number) =>
    workspaceKey(workspace, 'rate-limit', 'count', method, String(minute));

  async function reservePostSlot(
    workspace: WorkspaceId,
    channel: ChannelId,
    before: number,
    isMade: boolean,
  ): Promise<Slot> {
    const keys = [
      blockedKey({ workspace, method: postMethod, channel }),
      workspaceKey(workspace, 'rate-limit', channel),
      workspaceKey(workspace, 'rate-limit', 'places'),
      workspaceKey(workspace, 'rate-limit', 'made', channel),
    ];
    const spacing = [Math.ceil(limits.channelMs), Math.ceil(limits.workspaceMs)];
    const answer = await redis.eval(
      reservePostScript,
      keys.length,
      ...keys,
      before,
      slotValidMs,
      ...spacing,
      isMade ? 1 : 0,
      now(),
    );
    const [waitMs = 0, reserved = 0] = answer as number[];
    return { waitMs, reserved };
  }

  async function reserveBackgroundSlot(call: LimitedCall, before: number): Promise<Slot> {
    const keys = [blockedKey(call), backgroundKey(call)];
    const answer = await redis.eval(
      reserveBackgroundScript,
      2,
      ...keys,
      before,
      Math.ceil(limits.backgroundMs),
      now(),
    );
    const [waitMs = 0, reserved = 0] = answer as number[];
    return waitMs > 0 ? { waitMs, reserved } : { waitMs };
  }

  return {
    /**
     * Returns when a call may be made. Posts reserve a slot for their channel and workspace, background calls one for their
     * workspace while any of them waits; other calls may be made at once unless Slack has limited them.
     * @param reserved the slot reserved before, once its time has come
     */
    async acquire(call: LimitedCall, reserved?: number): Promise<Slot> {
      const { workspace, method, channel } = call;
      if (method === postMethod && channel !== undefined)
        return reservePostSlot(workspace, channel, reserved ?? 0, true);
      // Usually Slack has not limited the call.
      if (!(await isLimited(call))) return { waitMs: 0 };
      if (call.isBackground) return reserveBackgroundSlot(call, reserved ?? 0);
      const keys = [
        blockedKey(call),
        workspaceKey(workspace, 'rate-limit', 'waiting', method, channel ?? 'all'),
      ];
      const answer = await redis.eval(reserveCallScript, 2, ...keys, Math.ceil(limits.workspaceMs), now());
      const [waitMs = 0, limitedMs = 0] = answer as number[];
      return waitMs > 0 ? { waitMs, limitedMs } : { waitMs };
    },

    /**
     * Returns when a post to a channel may be made, without making it.
     * @param reserved the slot reserved before
     */
    reservePost: (workspace: WorkspaceId, channel: ChannelId, reserved?: number): Promise<Slot> =>
      reservePostSlot(workspace, channel, reserved ?? 0, false),

    /** Blocks a call that Slack has limited: nobody makes it for `retryAfterMs`, whatever slots are reserved. */
    async blockFor(call: LimitedCall, retryAfterMs: number): Promise<void> {
      await redis.eval(blockScript, 1, blockedKey(call), Math.ceil(retryAfterMs), slotValidMs, now());
      if (!call.isBackground) return;
      const forAllMs = Math.min(Math.ceil(retryAfterMs), longestForAllMs);
      await redis.eval(blockScript, 1, backgroundKey(call), forAllMs, 0, now());
    },

    /** Counts a call. Returns an estimate of how many of this kind all processes made within the last 60 seconds. */
    async count({ workspace, method }: LimitedCall): Promise<number> {
      const minute = Math.floor(now() / 60_000);
      const key = countKey(workspace, method, minute);
      await redis.multi().incr(key).pexpire(key, 120_000).exec();
      return this.counted({ workspace, method });
    },

    /** Returns an estimate of how many calls of a kind all processes made within the last 60 seconds. */
    async counted({ workspace, method }: LimitedCall): Promise<number> {
      const minute = Math.floor(now() / 60_000);
      const keys = [countKey(workspace, method, minute), countKey(workspace, method, minute - 1)];
      const [here = 0, before = 0] = (await redis.mget(...keys)).map(Number);
      // The share of the previous minute that lies within the last 60 seconds, assuming calls were spread evenly.
      return here + before * (1 - (now() % 60_000) / 60_000);
    },

    /** Reserves a read of a results CSV of this size. Returns the wait (ms). */
    async acquireCsv(ref: AccountRef, bytes: number): Promise<number> {
      const busyMs = Math.ceil((bytes * 60_000) / limits.csvBytesPerMinute);
      const key = accountKey(ref, 'rate-limit', 'csv');
      return Number(await redis.eval(reserveCsvScript, 1, key, busyMs, csvBurstMs, now()));
    },
  };
}
