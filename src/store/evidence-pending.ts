import type { Redis } from 'ioredis';
import { z } from 'zod';
import { isSamePrint } from '../domain/evidence/print.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, type CampaignId, TaskId } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

/** New or changed tasks that must be compared with others, by the revision of their records. */
const pendingKey = (ref: AccountRef) => accountKey(ref, 'evidence-pending');
/** Tasks that are in the index but not compared yet. */
const newKey = (ref: AccountRef) => accountKey(ref, 'evidence', 'new');
const timesKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, 'evidence-times', campaign);
const ids = z.array(TaskId);

/** How many times between two tasks of one worker are kept per campaign. */
const timesKept = 200;

/**
 * Removes a compared task unless it has changed since, and stores once how long after the previous one it came. KEYS: set,
 * new tasks, times of its campaign. ARGV: id, its state, the time or ''.
 */
const comparedScript = `
local state = redis.call('ZSCORE', KEYS[1], ARGV[1])
if state and tonumber(state) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
if redis.call('SREM', KEYS[2], ARGV[1]) == 1 and ARGV[3] ~= '' then
  redis.call('LPUSH', KEYS[3], ARGV[3])
  redis.call('LTRIM', KEYS[3], 0, ${timesKept - 1})
end`;

/** How long a failure is remembered (ms). */
const failedMs = 3_600_000;

/** Counts a failure. KEYS: count. ARGV: time to live after the last one (ms). */
const failedScript = `
local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return count`;

/** Returns a number that increases with the known parts of a task: pictures are uploaded without a new revision. */
function stateOf({ revision, pictures }: Task): number {
  return revision + (pictures === undefined ? 0 : 0.5);
}

/** Returns the step that queues a task for comparison, made together with the change of its record. */
export function evidencePendingStep(
  ref: AccountRef,
  before: Task | undefined,
  after: Task,
): CommitStep | undefined {
  if (after.detailsRemovedAt !== undefined || (before && isSamePrint(before, after))) return undefined;
  return {
    keys: [pendingKey(ref)],
    args: [after.id, stateOf(after)],
    lua: (key, arg) => `redis.call('ZADD', KEYS[${key}], ARGV[${arg + 1}], ARGV[${arg}])`,
  };
}

/** Creates the set of tasks that are still to be compared with others. */
export function createEvidencePending(redis: Redis) {
  return {
    /** Returns some of them. */
    async some(ref: AccountRef, count: number): Promise<TaskId[]> {
      return ids.parse(await redis.zrange(pendingKey(ref), '0', String(count - 1)));
    },

    async isAny(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(pendingKey(ref))) === 1;
    },

    async has(ref: AccountRef, task: TaskId): Promise<boolean> {
      return (await redis.zscore(pendingKey(ref), task)) !== null;
    },

    /** Removes a task compared in this state of its record. @param ms how long after the worker's previous task it came */
    async compared(ref: AccountRef, task: Task, ms: number | undefined): Promise<void> {
      const keys = [pendingKey(ref), newKey(ref), timesKey(ref, task.campaign)];
      await redis.eval(comparedScript, keys.length, ...keys, task.id, stateOf(task), ms ?? '');
    },

    /** Returns the latest times between two tasks of one worker in a campaign (ms). */
    async times(ref: AccountRef, campaign: CampaignId): Promise<number[]> {
      return (await redis.lrange(timesKey(ref, campaign), 0, -1)).map(Number);
    },

    /** Removes a task that no longer needs to be compared. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.zrem(pendingKey(ref), task);
    },

    /** Counts a failed comparison of a task. Returns the number of failures, each within an hour of the previous one. */
    async failed(ref: AccountRef, task: TaskId): Promise<number> {
      const key = accountKey(ref, 'evidence', 'failed', task);
      return Number(await redis.eval(failedScript, 1, key, failedMs));
    },

    /** Queues tasks for comparison that were known before comparisons existed. */
    async add(ref: AccountRef, tasks: readonly TaskId[]): Promise<void> {
      if (tasks.length > 0) await redis.zadd(pendingKey(ref), 'NX', ...tasks.flatMap((id) => [0, id]));
    },
  };
}
