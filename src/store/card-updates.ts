import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, ChannelId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

export type CardUpdates = ReturnType<typeof createCardUpdates>;

/** A card in the queue of updates: the highest rank is taken first. */
export interface WaitingCard {
  readonly task: TaskId;
  readonly rank: number;
}

/**
 * Adds cards to a channel's queue. KEYS: the queue, the channels that have one. ARGV: 1 to add only to a queue that is not
 * empty, channel, the highest rank of the cards, then rank and card of each. Returns whether the queue had other cards.
 */
const addInChannelScript = `
local others = redis.call('EXISTS', KEYS[1])
if others == 0 and ARGV[1] == '1' then return 0 end
redis.call('ZADD', KEYS[2], 'GT', ARGV[3], ARGV[2])
redis.call('ZADD', KEYS[1], 'GT', unpack(ARGV, 4))
return others`;

/**
 * Takes the first card of each queue. KEYS: the channels that have a queue, then their queues. ARGV: the channels. Returns
 * card and rank of each. A channel keeps the rank of the card taken: the next one has at most this rank, and reading it
 * would cost another command per card.
 */
const takeInChannelsScript = `
local taken, ranks, empty = {}, {}, {}
for i = 2, #KEYS do
  local card, rank = unpack(redis.call('ZPOPMAX', KEYS[i]))
  if card then
    taken[#taken + 1] = card
    taken[#taken + 1] = rank
    ranks[#ranks + 1] = rank
    ranks[#ranks + 1] = ARGV[i - 1]
  else
    empty[#empty + 1] = ARGV[i - 1]
  end
end
if #ranks > 0 then redis.call('ZADD', KEYS[1], 'XX', unpack(ranks)) end
if #empty > 0 then redis.call('ZREM', KEYS[1], unpack(empty)) end
return taken`;

/** The queued cards. */
export interface WaitingCards {
  /** In all queues. */
  readonly tasks: ReadonlySet<TaskId>;
  /** Whether the account's own queue has any. */
  readonly isAnyElsewhere: boolean;
  /** Whether a channel's queue has any. */
  readonly isAnyInChannels: boolean;
}

/**
 * Creates the queues of card updates: one per account, and one for each channel in which Slack limits updates. They only
 * prioritize: a card lost from them is still marked as needing a render, and a later poll queues it again.
 */
export function createCardUpdates(redis: Redis) {
  const key = (ref: AccountRef, channel?: ChannelId) =>
    accountKey(ref, 'tasks', 'updates', ...(channel === undefined ? [] : [channel]));
  /** A sorted set: the score of a channel is at least the rank of each card in its queue. */
  const channelsKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'limited-channels');

  async function addInChannel(
    ref: AccountRef,
    channel: ChannelId,
    cards: readonly WaitingCard[],
    isBehind: boolean,
  ): Promise<boolean> {
    const ranked = cards.flatMap(({ rank, task }) => [rank, task]);
    const highest = Math.max(...cards.map(({ rank }) => rank));
    const args = [isBehind ? 1 : 0, channel, highest, ...ranked];
    return (await redis.eval(addInChannelScript, 2, key(ref, channel), channelsKey(ref), ...args)) === 1;
  }

  return {
    /** Adds cards to the account's queue. A card that is already queued keeps the higher rank. */
    async add(ref: AccountRef, cards: readonly WaitingCard[]): Promise<void> {
      if (cards.length > 0)
        await redis.zadd(key(ref), 'GT', ...cards.flatMap(({ rank, task }) => [rank, task]));
    },

    /** Adds cards to their channel's queue. */
    async addInChannel(ref: AccountRef, channel: ChannelId, cards: readonly WaitingCard[]): Promise<void> {
      await addInChannel(ref, channel, cards, false);
    },

    /** Adds cards to their channel's queue only if it is not empty. Returns whether it had other cards. */
    addBehindOthers: (ref: AccountRef, channel: ChannelId, cards: readonly WaitingCard[]): Promise<boolean> =>
      addInChannel(ref, channel, cards, true),

    /** Takes the first cards, at most `most`. */
    async take(ref: AccountRef, most: number): Promise<WaitingCard[]> {
      return cardsOf(await redis.zpopmax(key(ref), most));
    },

    /** Takes the first card of each of these channels, in their order. */
    async takeInChannels(ref: AccountRef, channels: readonly ChannelId[]): Promise<WaitingCard[]> {
      if (channels.length === 0) return [];
      const keys = [channelsKey(ref), ...channels.map((channel) => key(ref, channel))];
      return cardsOf((await redis.eval(takeInChannelsScript, keys.length, ...keys, ...channels)) as string[]);
    },

    /** Returns the channels that have a queue of their own, the one with the highest rank first. */
    async channels(ref: AccountRef): Promise<ChannelId[]> {
      const byRank = await redis.zrange(channelsKey(ref), '0', '-1');
      return byRank.map((id) => ChannelId.parse(id)).reverse();
    },

    /** Returns the queued cards. */
    async waiting(ref: AccountRef): Promise<WaitingCards> {
      const [elsewhere, channels] = await Promise.all([
        redis.zrange(key(ref), '0', '-1'),
        this.channels(ref),
      ]);
      const keys = channels.map((channel) => key(ref, channel));
      const inChannels = keys.length === 0 ? [] : await redis.zunion(keys.length, ...keys);
      return {
        tasks: new Set([...elsewhere, ...inChannels].map((id) => TaskId.parse(id))),
        isAnyElsewhere: elsewhere.length > 0,
        isAnyInChannels: inChannels.length > 0,
      };
    },
  };
}

function cardsOf(taken: readonly string[]): WaitingCard[] {
  return chunksOf(taken, 2).map(([task, rank]) => ({ task: TaskId.parse(task), rank: Number(rank) }));
}
