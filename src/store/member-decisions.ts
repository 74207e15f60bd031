import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { TaskEvent } from '../domain/events.ts';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, type MemberId, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { literal, scanKeys } from './scan.ts';

/** How many decisions of a member are listed, and for how long after the latest (s). */
export const listedDecisions = 20;
const listedSeconds = 30 * 86_400;

export const decidedByKey = (ref: AccountRef, member: MemberId) => accountKey(ref, 'decided-by', member);

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

/**
 * Returns the step that adds a decision to the list of its author's last ones; undefined for other events. Made together
 * with the change of the task's record, so that none is missing or duplicated.
 */
export function memberDecisionStep(ref: AccountRef, task: TaskId, event: TaskEvent): CommitStep | undefined {
  if (event.type !== 'decided') return undefined;
  const { id, by } = event.decision;
  return {
    keys: [decidedByKey(ref, by)],
    args: [event.at, memberDecisionCodec.encode({ task, decision: id }), -listedDecisions - 1, listedSeconds],
    lua: (key, arg) => `
redis.call('ZADD', KEYS[${key}], ARGV[${arg}], ARGV[${arg + 1}])
redis.call('ZREMRANGEBYRANK', KEYS[${key}], 0, ARGV[${arg + 2}])
redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 3}])`,
  };
}

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
