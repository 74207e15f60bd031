import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { MessageRef } from '../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { readsTogether } from './reads-together.ts';

/**
 * The location of a summary of all of a channel's tasks without a card, as stored by versions up to 0.4: only its location
 * is still needed. `ts` is absent when it is not posted anywhere.
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

/** Creates the store of summaries left by earlier versions, until they are removed. */
export function createFormerSummaries(redis: Redis) {
  const reads = readsTogether(redis);
  const recordKey = (ref: AccountRef, channel: string) => accountKey(ref, 'backlog-message', channel);
  /** The names of all records. */
  const countsKey = (ref: AccountRef) => accountKey(ref, 'backlog-messages', 'digest:counts');
  const staleKey = (ref: AccountRef) => accountKey(ref, 'backlog-messages', 'stale');
  /** Summaries of version 0.1, by channel; and those found in channels, by channel and timestamp. */
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
      const found = await Promise.all([reads.exists(countsKey(ref)), reads.exists(noticesKey(ref))]);
      return found.includes(1);
    },

    /** Returns the locations of summaries. */
    async places(ref: AccountRef): Promise<MessageRef[]> {
      const found = (await texts(ref)).flatMap((text) => {
        const decoded = formerSummaryCodec.decode(text ?? '');
        const { channel, ts } = decoded.ok ? decoded.value : {};
        return channel === undefined || ts === undefined ? [] : [{ channel, ts }];
      });
      return [...new Map(found.map((place) => [foundField(place), place])).values()];
    },

    /** Stores the location of a found summary. */
    async add(ref: AccountRef, place: MessageRef): Promise<void> {
      await redis.hset(noticesKey(ref), foundField(place), formerSummaryCodec.encode(place));
    },

    /** Removes the data of a summary that no longer exists. */
    async remove(ref: AccountRef, place: MessageRef): Promise<void> {
      await redis
        .multi()
        .hdel(noticesKey(ref), foundField(place), place.channel)
        .hdel(countsKey(ref), place.channel)
        .del(recordKey(ref, place.channel))
        .exec();
    },

    /** Removes the remaining data: unposted summaries, and the index of tasks that they were counted by. */
    async removeAll(ref: AccountRef): Promise<void> {
      for (const channel of await redis.hkeys(countsKey(ref))) await redis.del(recordKey(ref, channel));
      await redis.del(countsKey(ref), staleKey(ref), accountKey(ref, 'tasks', 'backlog'));
      const left = await this.places(ref);
      if (left.length === 0) await redis.del(noticesKey(ref));
    },
  };
}
