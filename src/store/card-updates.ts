import type { Redis } from 'ioredis';
import { type AccountRef, ChannelId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

export type CardUpdates = ReturnType<typeof createCardUpdates>;

/** A card that was taken to be updated. */
export interface TakenCard {
  readonly task: TaskId;
  readonly rank: number;
}

/**
 * Adds cards to a channel's line. KEYS: the line, the channels that have one. ARGV: 1 when only a line is added to in which
 * others wait, channel, rank, cards. Returns whether others wait there.
 */
const addInChannelScript = `
local others = redis.call('EXISTS', KEYS[1])
if others == 0 then
  if ARGV[1] == '1' then return 0 end
  redis.call('SADD', KEYS[2], ARGV[2])
end
for index = 4, #ARGV do redis.call('ZADD', KEYS[1], 'GT', ARGV[3], ARGV[index]) end
return others`;

/** Takes the first card of a channel's line. KEYS: the line, the channels that have one. ARGV: channel. */
const takeInChannelScript = `
local taken = redis.call('ZPOPMAX', KEYS[1])
if #taken == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
return taken`;

/** The cards that wait. */
export interface WaitingCards {
  /** In all lines. */
  readonly tasks: ReadonlySet<TaskId>;
  /** Whether some wait in the account's own line. */
  readonly isAnyElsewhere: boolean;
  /** The channels in whose line some wait. */
  readonly channels: readonly ChannelId[];
}

/**
 * Creates the line of cards that are to be updated, an account's own, and one more for each channel in which Slack limits
 * updates. It is a hint of what to do first: what is lost of it is still marked as needing a render, and comes again with a
 * later poll.
 */
export function createCardUpdates(redis: Redis) {
  const key = (ref: AccountRef, channel?: ChannelId) =>
    accountKey(ref, 'tasks', 'updates', ...(channel === undefined ? [] : [channel]));
  const channelsKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'updated-channels');
  const inChannel = (script: string, ref: AccountRef, channel: ChannelId, ...args: (string | number)[]) =>
    redis.eval(script, 2, key(ref, channel), channelsKey(ref), ...args);

  return {
    /** Adds cards: those with the highest rank are taken first. One that is there keeps the higher rank. */
    async add(ref: AccountRef, tasks: readonly TaskId[], rank: number): Promise<void> {
      if (tasks.length === 0) return;
      await redis.zadd(key(ref), 'GT', ...tasks.flatMap((task) => [rank, task]));
    },

    /** Adds a card to the line of its channel. Returns whether it is the first there, and needs a job. */
    async addInChannel(ref: AccountRef, channel: ChannelId, { task, rank }: TakenCard): Promise<boolean> {
      return Number(await inChannel(addInChannelScript, ref, channel, 0, channel, rank, task)) === 0;
    },

    /** Adds cards to the line of their channel if others wait there. Returns whether they do. */
    async addBehindOthers(
      ref: AccountRef,
      channel: ChannelId,
      tasks: readonly TaskId[],
      rank: number,
    ): Promise<boolean> {
      return Number(await inChannel(addInChannelScript, ref, channel, 1, channel, rank, ...tasks)) === 1;
    },

    /** Takes the card that comes first; undefined when there is none. */
    async take(ref: AccountRef, channel?: ChannelId): Promise<TakenCard | undefined> {
      const [task, rank] =
        channel === undefined
          ? await redis.zpopmax(key(ref))
          : ((await inChannel(takeInChannelScript, ref, channel, channel)) as string[]);
      return task === undefined ? undefined : { task: TaskId.parse(task), rank: Number(rank) };
    },

    /** Returns the cards that wait. */
    async waiting(ref: AccountRef): Promise<WaitingCards> {
      const elsewhere = await redis.zrange(key(ref), '0', '-1');
      const tasks = new Set(elsewhere.map((id) => TaskId.parse(id)));
      const channels: ChannelId[] = [];
      for (const channel of (await redis.smembers(channelsKey(ref))).map((id) => ChannelId.parse(id))) {
        const found = await redis.zrange(key(ref, channel), '0', '-1');
        for (const id of found) tasks.add(TaskId.parse(id));
        if (found.length > 0) channels.push(channel);
      }
      return { tasks, isAnyElsewhere: elsewhere.length > 0, channels };
    },
  };
}
