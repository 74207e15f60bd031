import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import { keyOf, listedDecisions } from '../domain/index-changes.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { literal, scanKeys } from './scan.ts';

export { listedDecisions };

const decidedByKey = (ref: AccountRef, member: MemberId) => accountKey(ref, keyOf.decidedBy(member));

/** Somebody's decision, and when it was made (ms); its result is in the record of its task. */
export interface MemberDecision {
  readonly task: TaskId;
  readonly decision: string;
  readonly at: number;
}

/** Members of a sorted set: their text is their identity, so their format must not change. */
export const memberDecisionCodec = createCodec(
  'member-decision',
  z.object({ task: TaskId, decision: z.string() }).readonly(),
);

export type MemberDecisions = ReturnType<typeof createMemberDecisions>;

/** Creates the reader of members' last decisions. */
export function createMemberDecisions(redis: Redis) {
  return {
    /** Returns a member's last decisions, latest first. */
    async latest(
      ref: AccountRef,
      member: MemberId,
      { from = 0, limit = listedDecisions } = {},
    ): Promise<MemberDecision[]> {
      const found = await redis.zrevrange(decidedByKey(ref, member), from, from + limit - 1, 'WITHSCORES');
      return chunksOf(found, 2).flatMap(([text = '', at = '0']) => {
        const entry = memberDecisionCodec.decode(text);
        return entry.ok ? [{ ...entry.value, at: Number(at) }] : [];
      });
    },

    /** Returns how many decisions of a member are listed. */
    async count(ref: AccountRef, member: MemberId): Promise<number> {
      return redis.zcard(decidedByKey(ref, member));
    },
  };
}

/** Removes the lists of a member's last decisions, in all accounts of the workspace. */
export async function eraseMemberDecisions(
  redis: Redis,
  workspace: WorkspaceId,
  member: MemberId,
): Promise<void> {
  const accounts = workspaceKey(workspace, '').replace(/}:$/, '/');
  for await (const key of scanKeys(redis, `${literal(accounts)}*}:decided-by:${literal(member)}`))
    await redis.unlink(key);
}
