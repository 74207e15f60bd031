import type { Redis } from 'ioredis';
import type { AccountRef, ChannelId, MemberId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './format.ts';
import { changeIf, scriptIn } from './scripts.ts';

/** The limits for calls to Slack, and for reading results. */
export interface RateLimits {
  /** Slack: about one message a second and channel. */
  readonly channelMs: number;
  /** Slack: several hundred messages a minute and workspace. */
  readonly workspaceMs: number;
  /**
   * Distance between two calls of a method while Slack limits it, and for a minute after one had to wait. The lowest limit in
   * use is that of Tier 3, 50 a minute (https://docs.slack.dev/apis/web-api/rate-limits).
   */
  readonly limitedMs: number;
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
  limitedMs: 1_300,
  csvBytesPerMinute: 16_000_000,
};

/** Limit of unused time that counts when results are read (ms). */
const csvBurstMs = 60_000;

/** Slack counts calls per minute: a channel that it limits for longer waits alone. */
const minuteMs = 60_000;

/** How long the calls of a method wait that Slack limits somewhere, unless it limits the channel for longer (ms). */
const longestForAllMs = 2_000;

export const postMethod = 'chat.postMessage';
export const updateMethod = 'chat.update';

/** A Slack method and where it is called: the unit that Slack limits. */
export interface LimitedCall {
  readonly workspace: WorkspaceId;
  readonly method: string;
  /** Absent for methods that name no channel. */
  readonly channel?: ChannelId;
  /**
   * Whether nobody waits for the call, which matters unless it is a post. While Slack limits one of these in a channel, all
   * of the workspace wait: a thousand channels are not tried in turn. While it limits the method, others go first.
   */
  readonly isBackground?: boolean;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const countCall = scriptIn('count-call');
const holdCalls = scriptIn('hold-calls');
const reserveRead = scriptIn('reserve-read');

/**
 * Creates the rate limiter, whose state is what all processes have called and what Slack has answered.
 * @param now the bot's time
 */
export function createRateLimiter(redis: Redis, limits: RateLimits, now: () => number = Date.now) {
  function keysOf({ workspace, method, channel }: LimitedCall) {
    const place = channel ?? 'everywhere';
    const key = (...parts: string[]) => workspaceKey(workspace, 'rate-limit', method, ...parts);
    return {
      held: key('held', place),
      calledInChannel: key('called', place),
      called: key('called'),
      calledForBackground: key('called-background'),
      heldForBackground: key('held-background'),
      limited: key('limited'),
    };
  }

  /** Slack takes twice as many calls of the methods of Tier 4. */
  const limitedMs = (method: string) => Math.ceil(limits.limitedMs / (method.startsWith('views.') ? 2 : 1));

  return {
    /** Returns 0 if a call may be made now, and counts it as made. Returns how long it has to wait otherwise (ms). */
    async acquire(call: LimitedCall): Promise<number> {
      const isPost = call.method === postMethod;
      const spacing = isPost ? [Math.ceil(limits.channelMs), Math.ceil(limits.workspaceMs)] : [0, 0];
      const args = [...spacing, limitedMs(call.method), call.isBackground && !isPost ? 1 : 0, minuteMs];
      return Number(await countCall(redis, Object.values(keysOf(call)), args));
    },

    /** Holds up a call that Slack has limited for `retryAfterMs`, and paces the others of its method for a minute. */
    async blockFor(call: LimitedCall, retryAfterMs: number): Promise<void> {
      const { method, isBackground } = call;
      const keys = keysOf(call);
      const holds = new Map([[keys.held, retryAfterMs]]);
      if (method !== postMethod) {
        const forAllMs = Math.max(limitedMs(method), Math.min(retryAfterMs, longestForAllMs));
        holds.set(keys.limited, minuteMs).set(keys.called, forAllMs);
        if (isBackground) holds.set(keys.heldForBackground, Math.min(retryAfterMs, minuteMs));
      }
      const times = [...holds.values()].map((ms) => Math.max(1, Math.ceil(ms)));
      await holdCalls(redis, [...holds.keys()], times);
    },

    /** Reserves a read of a results CSV of this size. Returns the wait (ms). */
    async acquireCsv(ref: AccountRef, bytes: number): Promise<number> {
      const busyMs = Math.ceil((bytes * 60_000) / limits.csvBytesPerMinute);
      const key = accountKey(ref, 'rate-limit', 'csv');
      return Number(await reserveRead(redis, [key], [busyMs, csvBurstMs, now()]));
    },
  };
}

/**
 * Limits of one member's requests: `atOnce` of them in a burst, and one more every `everyMs`. Limits only requests that
 * occupy the marketplace, Slack or memory for long, far above what anybody does by hand.
 */
export const memberLimits = {
  results: { atOnce: 10, everyMs: 10_000 },
  files: { atOnce: 60, everyMs: 1_000 },
  // Each reply is read in its thread, where Slack allows 50 reads a minute for everybody together.
  replies: { atOnce: 30, everyMs: 3_000 },
} as const;
export type LimitedAction = keyof typeof memberLimits;

/** Creates the limits of single members' requests, which all processes share. */
export function createMemberLimits(redis: Redis, now: () => number) {
  return {
    /** Takes a token of a member's limit. Returns the wait when there is none (ms); 0: it was taken. */
    async take(workspace: WorkspaceId, member: MemberId, action: LimitedAction): Promise<number> {
      const { atOnce, everyMs } = memberLimits[action];
      const key = workspaceKey(workspace, 'limit', action, member);
      for (;;) {
        const text = (await redis.get(key)) ?? '';
        const at = now();
        /** When all tokens are free again (ms). */
        const free = Math.max(Number(text), at);
        const wait = free - (atOnce - 1) * everyMs - at;
        if (wait > 0) return Math.ceil(wait);
        const after = Math.round(free + everyMs);
        const set = ['SET', key, after, 'PX', Math.max(1, Math.round(after - at))] as const;
        if (await changeIf(redis, [[text, 'GET', key]], [set])) return 0;
      }
    },
  };
}
