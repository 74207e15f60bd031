import type { Redis } from 'ioredis';
import { z } from 'zod';
import { evidenceState, keyOf } from '../domain/index-changes.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, type CampaignId, TaskId } from '../domain/terms.ts';
import { changeIf } from './change.ts';
import { accountKey } from './keys.ts';

/** New or changed tasks that must be compared with others, by the revision of their records. */
const pendingKey = (ref: AccountRef) => accountKey(ref, keyOf.evidencePending);
const timesKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, 'evidence-times', campaign);
const ids = z.array(TaskId);

/** How many times between two tasks of one worker are kept per campaign. */
const timesKept = 200;

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
      if (ms !== undefined) {
        const key = timesKey(ref, task.campaign);
        // One that is compared again is counted once.
        await redis.zadd(key, 'NX', Date.now(), `${task.id} ${ms}`);
        await redis.zremrangebyrank(key, 0, -timesKept - 1);
      }
      const pending = pendingKey(ref);
      const state = await redis.zscore(pending, task.id);
      if (state !== null && Number(state) <= evidenceState(task))
        await changeIf(redis, [[state, 'ZSCORE', pending, task.id]], [['ZREM', pending, task.id]]);
    },

    /** Returns the latest times between two tasks of one worker in a campaign (ms). */
    async times(ref: AccountRef, campaign: CampaignId): Promise<number[]> {
      const times = await redis.zrange(timesKey(ref, campaign), '0', '-1');
      return times.map((one) => Number(one.split(' ').at(-1)));
    },

    /** Removes a task that no longer needs to be compared. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.zrem(pendingKey(ref), task);
    },
  };
}
