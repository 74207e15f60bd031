import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, ChannelId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** A card that waits to be drawn, and the channel that it is in or goes to. */
export interface WaitingCard {
  readonly task: TaskId;
  readonly channel: ChannelId;
  /** The highest is drawn first. */
  readonly rank: number;
}

/** The cards to be updated, or those to be posted in a channel. */
export type LineName = 'updates' | ChannelId;

/** How many cards are looked at together. */
const pageSize = 50;

export type CardLines = ReturnType<typeof createCardLines>;

/**
 * Creates the lines in which cards wait to be drawn: one for updates, which Slack limits in the whole workspace, and one for
 * the posts in each channel. They only prioritize: a card lost from them is still marked as needing a render, and a later
 * poll queues it again.
 */
export function createCardLines(redis: Redis) {
  const key = (ref: AccountRef, line: LineName) => accountKey(ref, 'tasks', 'line', line);

  return {
    /** Adds cards. One that waits already keeps the higher rank. */
    async add(ref: AccountRef, line: LineName, cards: readonly WaitingCard[]): Promise<void> {
      const members = cards.flatMap(({ channel, rank, task }) => [rank, `${channel} ${task}`]);
      await redis.zadd(key(ref, line), 'GT', ...members);
    },

    /** Takes the first card that is in none of these channels. */
    async take(
      ref: AccountRef,
      line: LineName,
      except: ReadonlySet<ChannelId>,
    ): Promise<WaitingCard | undefined> {
      if (except.size === 0) return cardOf(await redis.zpopmax(key(ref, line)));
      for (let from = 0; ; from += pageSize) {
        const page = await redis.zrevrange(key(ref, line), from, from + pageSize - 1, 'WITHSCORES');
        if (page.length === 0) return undefined;
        for (const [member = '', rank = ''] of chunksOf(page, 2)) {
          const card = cardOf([member, rank]);
          // Another job may have taken it.
          if (card && !except.has(card.channel) && (await redis.zrem(key(ref, line), member)) === 1)
            return card;
        }
      }
    },
  };
}

function cardOf([member, rank]: readonly string[]): WaitingCard | undefined {
  if (member === undefined) return undefined;
  const [channel, task] = member.split(' ');
  return { channel: ChannelId.parse(channel), task: TaskId.parse(task), rank: Number(rank) };
}
