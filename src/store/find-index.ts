import type { Redis } from 'ioredis';
import { z } from 'zod';
import { packedTerms, type Term, termsOf } from '../domain/find/terms.ts';
import { findOrder, keyOf } from '../domain/index-changes.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { forgetScript, lookScript, putScript } from './find-index-script.ts';
import { accountKey } from './keys.ts';
import type { Versioned } from './record-kind.ts';

const Answer = z.tuple([z.array(z.union([z.string(), z.number()])), z.number()]);
const ids = z.array(TaskId);

/** A possible match: its texts decide. */
export interface Candidate {
  readonly task: TaskId;
  /** The newer, the higher. */
  readonly number: number;
}

/** The result of one search. */
export interface Look {
  readonly found: readonly Candidate[];
  /** The number before which to continue; absent: there is nothing more. */
  readonly before?: number;
}

const pendingKey = (ref: AccountRef) => accountKey(ref, keyOf.findPending);

export type FindIndex = ReturnType<typeof createFindIndex>;

/** Creates the full-text index of an account's tasks. */
export function createFindIndex(redis: Redis) {
  const prefixOf = (ref: AccountRef) => accountKey(ref, 'find', '');
  const begunKey = (ref: AccountRef) => `${prefixOf(ref)}begun`;
  const keysOf = (ref: AccountRef, task: TaskId) => [
    accountKey(ref, 'task', task),
    `${prefixOf(ref)}tasks`,
    pendingKey(ref),
  ];

  return {
    /** Indexes a task from its record as read, and its notes. Resolves to false when the record has changed since. */
    async put(
      ref: AccountRef,
      { version, value }: Versioned<Task>,
      notes: readonly string[],
    ): Promise<boolean> {
      if (value === undefined) return false;
      const terms = packedTerms(termsOf(value, notes));
      const rest = [prefixOf(ref), value.id, version, value.round, terms];
      return (await redis.eval(putScript, 3, ...keysOf(ref, value.id), ...rest)) === 1;
    },

    /** Removes a task from the index, by the terms it was indexed with. */
    async forget(ref: AccountRef, task: TaskId): Promise<void> {
      await redis.eval(forgetScript, 3, ...keysOf(ref, task), prefixOf(ref), task);
    },

    /** Searches for tasks that may have all terms, newest first. @param before the number before which to search */
    async look(
      ref: AccountRef,
      terms: readonly Term[],
      { before, most }: { readonly before: number | undefined; readonly most: number },
    ): Promise<Look> {
      const args = [prefixOf(ref), packedTerms(terms), before ?? '', most];
      const [flat, next] = Answer.parse(await redis.eval(lookScript, 1, `${prefixOf(ref)}tasks`, ...args));
      const found: Candidate[] = [];
      for (let at = 0; at < flat.length; at += 2)
        found.push({ task: TaskId.parse(String(flat[at])), number: Number(flat[at + 1]) });
      return next < 0 ? { found } : { found, before: next };
    },

    /** Returns some of the tasks to be indexed, oldest first. */
    async pending(ref: AccountRef, count: number): Promise<TaskId[]> {
      return ids.parse(await redis.zrange(pendingKey(ref), '0', String(count - 1)));
    },

    /** Returns how many tasks are to be indexed. */
    async countPending(ref: AccountRef): Promise<number> {
      return redis.zcard(pendingKey(ref));
    },

    /** Queues tasks that were stored before the index existed. */
    async add(ref: AccountRef, tasks: readonly Task[]): Promise<void> {
      if (tasks.length > 0)
        await redis.zadd(pendingKey(ref), 'NX', ...tasks.flatMap((task) => [findOrder(task), task.id]));
    },

    /** Returns whether all tasks stored before the index existed are indexed or queued for it. */
    async isBegun(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(begunKey(ref))) === 1;
    },

    async begun(ref: AccountRef): Promise<void> {
      await redis.set(begunKey(ref), '1');
    },
  };
}
