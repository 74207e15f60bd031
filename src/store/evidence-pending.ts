import type { Redis } from 'ioredis';
import { z } from 'zod';
import { isSamePrint } from '../domain/evidence/print.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, type CampaignId, TaskId } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

/** Tasks that are new or have changed, and are to be compared with others, by the revision of their records. */
const pendingKey = (ref: AccountRef) => accountKey(ref, 'evidence-pending');
/** Tasks that are in the index, and were not compared yet. */
const newKey = (ref: AccountRef) => accountKey(ref, 'evidence', 'new');
const timesKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, 'evidence-times', campaign);
const ids = z.array(TaskId);

/** So many times between two tasks of one worker are remembered per campaign. */
const timesKept = 200;

/**
 * Removes a task that was compared, unless it has changed since, and remembers once how long after another one it came. KEYS:
 * set, new tasks, times of its campaign. ARGV: id, its state, the time or ''.
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

/** Counts. KEYS: count. ARGV: for how long after the last time (ms). */
const failedScript = `
local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return count`;

/** Returns a number that is higher the more of a task is known: pictures are uploaded without another revision. */
function stateOf({ revision, pictures }: Task): number {
  return revision + (pictures === undefined ? 0 : 0.5);
}

/** Returns the step by which a task is to be compared with others, made together with the change of its record. */
export function evidencePendingStep(
  ref: AccountRef,
  before: Task | undefined,
  after: Task,
): CommitStep | undefined {
  if (after.detailsRemovedAt !== undefined || (before && isSamePrint(before, after))) return undefined;
  return {
    keys: [pendingKey(ref)],
    args: [after.id, stateOf(after)],
    lua: (key, arg) => `later('ZADD', KEYS[${key}], ARGV[${arg + 1}], ARGV[${arg}])`,
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

    /** Removes a task that was compared as its record was then. @param ms how long after the worker's task before it came */
    async compared(ref: AccountRef, task: Task, ms: number | undefined): Promise<void> {
      const keys = [pendingKey(ref), newKey(ref), timesKey(ref, task.campaign)];
      await redis.eval(comparedScript, keys.length, ...keys, task.id, stateOf(task), ms ?? '');
    },

    /** Returns the latest times between two tasks of one worker in a campaign (ms). */
    async times(ref: AccountRef, campaign: CampaignId): Promise<number[]> {
      return (await redis.lrange(timesKey(ref, campaign), 0, -1)).map(Number);
    },

    /** Removes a task that is not to be compared any more. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.zrem(pendingKey(ref), task);
    },

    /** Counts that a task could not be compared. Returns how often that was, within an hour of one another. */
    async failed(ref: AccountRef, task: TaskId): Promise<number> {
      const key = accountKey(ref, 'evidence', 'failed', task);
      return Number(await redis.eval(failedScript, 1, key, failedMs));
    },

    /** Has tasks compared that were known before anything was. */
    async add(ref: AccountRef, tasks: readonly TaskId[]): Promise<void> {
      if (tasks.length > 0) await redis.zadd(pendingKey(ref), 'NX', ...tasks.flatMap((id) => [0, id]));
    },
  };
}
