import type { Redis } from 'ioredis';
import type { MemberId, WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

/**
 * Limits of one member's requests: `atOnce` of them in a burst, and one more every `everyMs`. Limits only requests that
 * occupy the marketplace, Slack or memory for long, far above what anybody does by hand.
 */
export const memberLimits = {
  results: { atOnce: 10, everyMs: 10_000 },
  files: { atOnce: 60, everyMs: 1_000 },
  // Each reply is read in its thread, where Slack allows 50 reads a minute for everybody together.
  replies: { atOnce: 30, everyMs: 3_000 },
  bulk: { atOnce: 10, everyMs: 30_000 },
} as const;
export type LimitedAction = keyof typeof memberLimits;

/**
 * Takes a token of a member's limit. KEYS: when all tokens are free again (ms). ARGV: time until a token is free again (ms),
 * number of tokens, the bot's time (ms). Returns the wait (ms); 0: a token was taken.
 */
const takeScript = `
local every, most, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local free = tonumber(redis.call('GET', KEYS[1]) or '0')
if free < now then free = now end
local wait = free - (most - 1) * every - now
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.0f', free + every), 'PX', string.format('%.0f', free + every - now))
return 0`;

export type MemberLimits = ReturnType<typeof createMemberLimits>;

/** Creates the limits of single members' requests, which all processes share. */
export function createMemberLimits(redis: Redis, now: () => number) {
  return {
    /** Takes a token of a member's limit. Returns the wait when there is none (ms); 0: it was taken. */
    async take(workspace: WorkspaceId, member: MemberId, action: LimitedAction): Promise<number> {
      const { atOnce, everyMs } = memberLimits[action];
      const key = workspaceKey(workspace, 'limit', action, member);
      return Number(await redis.eval(takeScript, 1, key, everyMs, atOnce, now()));
    },
  };
}
