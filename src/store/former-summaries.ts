import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { MessageRef } from '../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';

/**
 * A summary of all tasks of a channel without a card, as versions up to 0.4 stored it: all that is still needed of it is where it
 * stands. `ts` is absent when it stands nowhere.
 */
const FormerSummary = z.object({ channel: ChannelId, ts: z.string().exactOptional() }).readonly();

const FirstVersion = z.object({ channel: z.string(), ts: z.string() });
const SecondVersion = z.object({
  channel: z.string(),
  card: z.object({ state: z.string(), ts: z.string().optional() }),
});

export const formerSummaryCodec = createCodec('backlog-summary', FormerSummary, [
  {
    name: 'place of a summary becomes a record',
    migrate(old) {
      const { channel, ts } = FirstVersion.parse(old);
      return { channel, card: ts === '' ? { state: 'wanted' } : { state: 'posted', ts } };
    },
  },
  {
    name: 'only the place of a summary is needed',
    migrate(old) {
      const { channel, card } = SecondVersion.parse(old);
      return card.state === 'posted' && card.ts !== undefined ? { channel, ts: card.ts } : { channel };
    },
  },
]);

export type FormerSummaries = ReturnType<typeof createFormerSummaries>;

/** Creates the store of what earlier versions have left of their summaries, until it is removed. */
export function createFormerSummaries(redis: Redis) {
  const recordKey = (ref: AccountRef, channel: string) => accountKey(ref, 'backlog-message', channel);
  /** The names of all records. */
  const countsKey = (ref: AccountRef) => accountKey(ref, 'backlog-messages', 'digest:counts');
  const staleKey = (ref: AccountRef) => accountKey(ref, 'backlog-messages', 'stale');
  /** Those of version 0.1, by channel; and those that were found in channels, by channel and timestamp. */
  const noticesKey = (ref: AccountRef) => accountKey(ref, 'backlog-notices');
  const foundField = ({ channel, ts }: MessageRef) => `${channel} ${ts}`;

  async function texts(ref: AccountRef): Promise<(string | null)[]> {
    const channels = await redis.hkeys(countsKey(ref));
    const records = await Promise.all(
      channels.map((channel) => redis.hget(recordKey(ref, channel), 'value')),
    );
    return [...records, ...(await redis.hvals(noticesKey(ref)))];
  }

  return {
    async isAny(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(countsKey(ref), noticesKey(ref))) > 0;
    },

    /** Returns where summaries stand. */
    async places(ref: AccountRef): Promise<MessageRef[]> {
      const found = (await texts(ref)).flatMap((text) => {
        const decoded = formerSummaryCodec.decode(text ?? '');
        const { channel, ts } = decoded.ok ? decoded.value : {};
        return channel === undefined || ts === undefined ? [] : [{ channel, ts }];
      });
      return [...new Map(found.map((place) => [foundField(place), place])).values()];
    },

    /** Stores where one was found. */
    async add(ref: AccountRef, place: MessageRef): Promise<void> {
      await redis.hset(noticesKey(ref), foundField(place), formerSummaryCodec.encode(place));
    },

    /** Removes what is stored of one that stands nowhere any more. */
    async remove(ref: AccountRef, place: MessageRef): Promise<void> {
      await redis
        .multi()
        .hdel(noticesKey(ref), foundField(place), place.channel)
        .hdel(countsKey(ref), place.channel)
        .del(recordKey(ref, place.channel))
        .exec();
    },

    /** Removes what is left: what stood nowhere, and the index of tasks that it was counted by. */
    async removeAll(ref: AccountRef): Promise<void> {
      for (const channel of await redis.hkeys(countsKey(ref))) await redis.del(recordKey(ref, channel));
      await redis.del(countsKey(ref), staleKey(ref), accountKey(ref, 'tasks', 'backlog'));
      const left = await this.places(ref);
      if (left.length === 0) await redis.del(noticesKey(ref));
    },
  };
}
