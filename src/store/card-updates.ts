import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

export type CardUpdates = ReturnType<typeof createCardUpdates>;

/**
 * Creates the line of cards that are to be updated, an account's own. It is a hint of what to do first: what is lost of it is
 * still marked as needing a render, and comes again with a later poll.
 */
export function createCardUpdates(redis: Redis) {
  const key = (ref: AccountRef) => accountKey(ref, 'tasks', 'updates');

  return {
    /** Adds cards: those with the highest rank are taken first. One that is there keeps the higher rank. */
    async add(ref: AccountRef, tasks: readonly TaskId[], rank: number): Promise<void> {
      if (tasks.length === 0) return;
      await redis.zadd(key(ref), 'GT', ...tasks.flatMap((task) => [rank, task]));
    },

    /** Takes the card that comes first; undefined when there is none. */
    async take(ref: AccountRef): Promise<TaskId | undefined> {
      const [task] = await redis.zpopmax(key(ref));
      return z.optional(TaskId).parse(task);
    },
  };
}
