import type { Redis } from 'ioredis';
import type { AccountRef, ChannelId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './keys.ts';

/**
 * Takes the next free place in one or more lines. KEYS: lines (when each is free again, ms). ARGV: per line how long
 * the place keeps it busy (ms). Gives how long to wait (ms). Redis's own clock counts for all processes.
 */
const reserveScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local place = now
for _, line in ipairs(KEYS) do
  local free = tonumber(redis.call('GET', line) or '0')
  if free > place then place = free end
end
for i, line in ipairs(KEYS) do
  local free = place + tonumber(ARGV[i])
  redis.call('SET', line, string.format('%.0f', free), 'PXAT', string.format('%.0f', free + 1000))
end
return place - now`;

/** How fast the bot may go: the workspace's and channels' limits for posting, and bytes of CSV a minute. */
export interface PaceLimits {
  /** Slack: about one message a second and channel. */
  readonly channelMs: number;
  /** Slack: several hundred messages a minute and workspace. */
  readonly workspaceMs: number;
  /** Bytes of results CSV read a minute and account, for campaigns large enough to count. */
  readonly csvBytesPerMinute: number;
}

export const defaultPace: PaceLimits = { channelMs: 1_000, workspaceMs: 150, csvBytesPerMinute: 16_000_000 };

export type Pace = ReturnType<typeof createPace>;

/** Reservations shared by all processes. */
export function createPace(redis: Redis, limits: PaceLimits) {
  async function reserve(lines: readonly (readonly [string, number])[]): Promise<number> {
    const keys = lines.map(([key]) => key);
    return Number(
      await redis.eval(reserveScript, keys.length, ...keys, ...lines.map(([, busyMs]) => Math.ceil(busyMs))),
    );
  }

  return {
    /** Reserves the next post in a channel. Gives how long to wait for it, in ms. */
    async post(workspace: WorkspaceId, channel: ChannelId): Promise<number> {
      return reserve([
        [workspaceKey(workspace, 'pace', channel), limits.channelMs],
        [workspaceKey(workspace, 'pace'), limits.workspaceMs],
      ]);
    },

    /** Reserves reading a results CSV of about so many bytes. Gives how long to wait, in ms. */
    async csv(ref: AccountRef, bytes: number): Promise<number> {
      return reserve([[accountKey(ref, 'pace', 'csv'), (bytes * 60_000) / limits.csvBytesPerMinute]]);
    },
  };
}
