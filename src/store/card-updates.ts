import type { Redis } from 'ioredis';
import { type AccountRef, type ChannelId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

export type CardUpdates = ReturnType<typeof createCardUpdates>;

/** A card that was taken to be updated. */
export interface TakenCard {
  readonly task: TaskId;
  readonly rank: number;
}

/**
 * Creates the line of cards that are to be updated, an account's own, and one more for each channel in which Slack limits
 * updates. It is a hint of what to do first: what is lost of it is still marked as needing a render, and comes again with a
 * later poll.
 */
export function createCardUpdates(redis: Redis) {
  const key = (ref: AccountRef, channel: ChannelId | undefined) =>
    accountKey(ref, 'tasks', 'updates', ...(channel === undefined ? [] : [channel]));

  return {
    /** Adds cards: those with the highest rank are taken first. One that is there keeps the higher rank. */
    async add(ref: AccountRef, tasks: readonly TaskId[], rank: number, channel?: ChannelId): Promise<void> {
      if (tasks.length === 0) return;
      await redis.zadd(key(ref, channel), 'GT', ...tasks.flatMap((task) => [rank, task]));
    },

    /** Takes the card that comes first; undefined when there is none. */
    async take(ref: AccountRef, channel?: ChannelId): Promise<TakenCard | undefined> {
      const [task, rank] = await redis.zpopmax(key(ref, channel));
      return task === undefined ? undefined : { task: TaskId.parse(task), rank: Number(rank) };
    },
  };
}
