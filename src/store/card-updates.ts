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
 * Adds cards to a channel's line. KEYS: the line. ARGV: 1 when only a line is added to in which others wait, rank, cards.
 * Returns whether others wait there.
 */
const addInChannelScript = `
local others = redis.call('EXISTS', KEYS[1])
if others == 0 and ARGV[1] == '1' then return 0 end
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[index]) end
return others`;

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
    async add(ref: AccountRef, tasks: readonly TaskId[], rank: number): Promise<void> {
      if (tasks.length === 0) return;
      await redis.zadd(key(ref, undefined), 'GT', ...tasks.flatMap((task) => [rank, task]));
    },

    /** Adds a card to the line of its channel. Returns whether it is the first there, and needs a job. */
    async addInChannel(ref: AccountRef, channel: ChannelId, { task, rank }: TakenCard): Promise<boolean> {
      return Number(await redis.eval(addInChannelScript, 1, key(ref, channel), 0, rank, task)) === 0;
    },

    /** Adds cards to the line of their channel if others wait there. Returns whether they do. */
    async addBehindOthers(
      ref: AccountRef,
      channel: ChannelId,
      tasks: readonly TaskId[],
      rank: number,
    ): Promise<boolean> {
      return Number(await redis.eval(addInChannelScript, 1, key(ref, channel), 1, rank, ...tasks)) === 1;
    },

    /** Takes the card that comes first; undefined when there is none. */
    async take(ref: AccountRef, channel?: ChannelId): Promise<TakenCard | undefined> {
      const [task, rank] = await redis.zpopmax(key(ref, channel));
      return task === undefined ? undefined : { task: TaskId.parse(task), rank: Number(rank) };
    },
  };
}
