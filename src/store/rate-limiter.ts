import type { Redis } from 'ioredis';
import type { AccountRef, ChannelId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './keys.ts';

/** Begins every script: Redis's own clock (ms) counts for all processes. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function at(key) return tonumber(redis.call('GET', key) or '0') end
local function keep(key, value, untilMs)
  redis.call('SET', key, string.format('%.0f', value), 'PXAT', string.format('%.0f', untilMs))
end`;

/**
 * Takes the next free place in a line. KEYS: the line (when it is free again, ms). ARGV: how long the place keeps it busy
 * (ms). Gives how long to wait (ms).
 */
const reserveCsvScript = `${clock}
local place = math.max(now, at(KEYS[1]))
local free = place + tonumber(ARGV[1])
keep(KEYS[1], free, free + 1000)
return place - now`;

/**
 * Takes the next place to post at: the first at which the channel is free and no other post of the workspace is near.
 * A channel that is far behind leaves the moments before its place to the others. A place that was reserved before is
 * good, unless it lies too far back or the channel has been held up since.
 * KEYS: until when posts there are held up, the channel's line, the workspace's places to come. ARGV: place reserved
 * before or 0, how long it is good (ms), how long a post keeps the channel and the workspace busy (ms).
 * Gives how long to wait (ms), and the place (ms).
 */
const reservePostScript = `${clock}
local held = at(KEYS[1])
local reserved = tonumber(ARGV[1])
if reserved >= held and reserved >= now - tonumber(ARGV[2]) then
  return { math.max(0, reserved - now), reserved }
end
local apart = tonumber(ARGV[4])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now - apart))
local place = math.max(now, held, at(KEYS[2]))
for _, taken in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], string.format('(%.0f', place - apart), '+inf')) do
  if tonumber(taken) >= place + apart then break end
  place = tonumber(taken) + apart
end
local free = place + tonumber(ARGV[3])
keep(KEYS[2], free, free + 1000)
local name = string.format('%.0f', place)
redis.call('ZADD', KEYS[3], name, name)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0)[1]
redis.call('PEXPIREAT', KEYS[3], string.format('%.0f', tonumber(last) + apart + 1000))
return { place - now, place }`;

/**
 * Until when a call is held up; those who wait come back one after the other. KEYS: until when it is held up, the line
 * of those who wait. ARGV: how far apart they come back (ms). Gives how long to wait (ms).
 */
const reserveCallScript = `${clock}
local held = at(KEYS[1])
if held <= now then return 0 end
local place = math.max(held, at(KEYS[2]))
local free = place + tonumber(ARGV[1])
keep(KEYS[2], free, free)
return place - now`;

/** KEYS: until when it is held up. ARGV: for how long from now, and how much longer that is remembered (ms). */
const blockScript = `${clock}
local held = math.max(at(KEYS[1]), now + tonumber(ARGV[1]))
keep(KEYS[1], held, held + tonumber(ARGV[2]))`;

/** How fast the bot may go: the workspace's and channels' limits for posting, and bytes of CSV a minute. */
export interface RateLimits {
  /** Slack: about one message a second and channel. */
  readonly channelMs: number;
  /** Slack: several hundred messages a minute and workspace. */
  readonly workspaceMs: number;
  /** Bytes of results CSV read a minute and account, for campaigns large enough to count. */
  readonly csvBytesPerMinute: number;
}

export const defaultRateLimits: RateLimits = {
  channelMs: 1_000,
  workspaceMs: 150,
  csvBytesPerMinute: 16_000_000,
};

/** A place in a line that was reserved is good for so long after its time (ms). */
const slotValidMs = 3_000;

export const postMethod = 'chat.postMessage';

/** A method of Slack's where it is called: what Slack limits, and nothing beside it. */
export interface LimitedCall {
  readonly workspace: WorkspaceId;
  readonly method: string;
  /** Absent for methods that name no channel. */
  readonly channel?: ChannelId;
}

/** How one job calls Slack. */
export interface CallSlack {
  /** Calls Slack when it is that call's turn. Throws so that the job comes back until then, and when Slack limits it. */
  <T>(call: Pick<LimitedCall, 'method' | 'channel'>, run: () => Promise<T>): Promise<T>;
  /**
   * Reserves the place at which the job will post to a channel. Throws so that the job comes back `aheadMs` before it:
   * what the post needs is fetched then, and not while others could already post.
   */
  reservePost(channel: ChannelId, aheadMs: number): Promise<void>;
}

/** How one job calls Slack. @param reserved the place in a line that it has waited for */
export type CallSlackOf = (workspace: WorkspaceId, reserved: number | undefined) => CallSlack;

/** When a call may be made. */
export interface Slot {
  /** How long to wait (ms); 0: now. */
  readonly waitMs: number;
  /** A reserved place, to be handed back at that time. */
  readonly reserved?: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Reservations shared by all processes. */
export function createRateLimiter(redis: Redis, limits: RateLimits) {
  const blockedKey = ({ workspace, method, channel }: LimitedCall) =>
    workspaceKey(workspace, 'pace', 'held', method, channel ?? 'all');

  async function reservePostSlot(workspace: WorkspaceId, channel: ChannelId, before = 0): Promise<Slot> {
    const keys = [
      blockedKey({ workspace, method: postMethod, channel }),
      workspaceKey(workspace, 'pace', channel),
      workspaceKey(workspace, 'pace', 'places'),
    ];
    const spacing = [Math.ceil(limits.channelMs), Math.ceil(limits.workspaceMs)];
    const answer = await redis.eval(reservePostScript, keys.length, ...keys, before, slotValidMs, ...spacing);
    const [waitMs = 0, reserved = 0] = answer as number[];
    return { waitMs, reserved };
  }

  return {
    /**
     * When a call may be made. Posts are reserved a place, paced by channel and workspace; other calls may be made at
     * once, except where Slack has limited them.
     * @param reserved the place that was reserved before, when its time has come
     */
    async acquire(call: LimitedCall, reserved?: number): Promise<Slot> {
      const { workspace, method, channel } = call;
      if (method === postMethod && channel !== undefined)
        return reservePostSlot(workspace, channel, reserved);
      const keys = [blockedKey(call), workspaceKey(workspace, 'pace', 'waiting', method, channel ?? 'all')];
      return {
        waitMs: Number(await redis.eval(reserveCallScript, 2, ...keys, Math.ceil(limits.workspaceMs))),
      };
    },

    /** Slack has limited a call: for so long nobody makes it there, whatever was reserved. */
    async blockFor(call: LimitedCall, retryAfterMs: number): Promise<void> {
      await redis.eval(blockScript, 1, blockedKey(call), Math.ceil(retryAfterMs), slotValidMs);
    },

    /** Reserves reading a results CSV of about so many bytes. Gives how long to wait, in ms. */
    async acquireCsv(ref: AccountRef, bytes: number): Promise<number> {
      const busyMs = Math.ceil((bytes * 60_000) / limits.csvBytesPerMinute);
      return Number(await redis.eval(reserveCsvScript, 1, accountKey(ref, 'pace', 'csv'), busyMs));
    },
  };
}
