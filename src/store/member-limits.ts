import type { Redis } from 'ioredis';
import type { MemberId, WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

/**
 * What one member may ask for: so many at once, and one more each time so many milliseconds have passed. Only what
 * occupies the marketplace, Slack or the memory for long is limited, far above what anybody does by hand.
 */
export const memberLimits = {
  results: { atOnce: 10, everyMs: 10_000 },
  files: { atOnce: 60, everyMs: 1_000 },
  // Each is read in its thread, where Slack allows 50 a minute to all.
  replies: { atOnce: 30, everyMs: 3_000 },
  bulk: { atOnce: 10, everyMs: 30_000 },
} as const;
export type LimitedAction = keyof typeof memberLimits;

/**
 * Takes one of what a member may ask for. KEYS: when all of them are free again (ms). ARGV: how long one takes to become
 * free (ms), how many there are, the time of the bot (ms). Returns how long to wait (ms); 0: it is taken.
 * A stored time that lies further ahead than there are any is not believed: a clock was set since.
 */
const takeScript = `
local every, most, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local free = tonumber(redis.call('GET', KEYS[1]) or '0')
if free < now or free > now + every * most then free = now end
local wait = free - (most - 1) * every - now
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.0f', free + every), 'PX', string.format('%.0f', free + every - now))
return 0`;

export type MemberLimits = ReturnType<typeof createMemberLimits>;

/** Creates the limits of what single members may ask for, which all processes share. */
export function createMemberLimits(redis: Redis, now: () => number) {
  return {
    /** Takes one of what a member may ask for. Returns how long to wait when there is none (ms); 0: it is taken. */
    async take(workspace: WorkspaceId, member: MemberId, action: LimitedAction): Promise<number> {
      const { atOnce, everyMs } = memberLimits[action];
      const key = workspaceKey(workspace, 'limit', action, member);
      return Number(await redis.eval(takeScript, 1, key, everyMs, atOnce, now()));
    },
  };
}
