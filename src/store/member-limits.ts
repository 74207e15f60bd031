import type { Redis } from 'ioredis';
import type { MemberId, WorkspaceId } from '../domain/terms.ts';
import { changeIf } from './change.ts';
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

export type MemberLimits = ReturnType<typeof createMemberLimits>;

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
