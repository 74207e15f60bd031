import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/collections.ts';
import { keyOf } from '../domain/index-changes.ts';
import { type AccountRef, CampaignId, ChannelId, TaskId } from '../domain/terms.ts';
import { accountKey } from './format.ts';
import { changeIf } from './scripts.ts';
import { firstDue, openKey, waitingIn } from './tasks.ts';

const windowKey = (ref: AccountRef, channel: ChannelId) => accountKey(ref, keyOf.window(channel));
const queueKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, keyOf.queueOf(campaign));
const queuedCampaignsKey = (ref: AccountRef) => accountKey(ref, keyOf.queuedCampaigns);
const leaseEndsKey = (ref: AccountRef) => accountKey(ref, 'focus', 'lease-ends');

/** How many tasks are selected at a time where the window has no limit. */
const atOnce = 200;

/**
 * Creates the channels' windows on the queue of open tasks: which tasks have a card there, and which wait for one. They are
 * written in the steps that write the tasks' records, so that a window never exceeds its limit, however many processes fill
 * it.
 */
export function createCardWindows(redis: Redis, now: () => number = Date.now) {
  async function freePlaces(ref: AccountRef, key: string): Promise<void> {
    const tasks = await redis.smembers(key);
    const scores = tasks.length === 0 ? [] : await redis.zmscore(openKey(ref), ...tasks);
    for (const task of tasks.filter((_, index) => scores[index] === null))
      await changeIf(redis, [['', 'ZSCORE', openKey(ref), task]], [['SREM', key, task]]);
  }

  return {
    /** Returns the campaigns with tasks that wait without a card, and the number of these tasks. */
    async queues(ref: AccountRef): Promise<Map<CampaignId, number>> {
      const ids = z.array(CampaignId).parse(await redis.smembers(queuedCampaignsKey(ref)));
      return new Map(
        await Promise.all(ids.map(async (id) => [id, await redis.zcard(queueKey(ref, id))] as const)),
      );
    },

    /** Returns whether any task waits without a card. */
    async isAnyQueued(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(queuedCampaignsKey(ref))) === 1;
    },

    /** Returns how many of campaigns' tasks wait without a card. */
    waitingIn: (ref: AccountRef, campaigns: readonly CampaignId[]) =>
      waitingIn(redis, ref, campaigns, queueKey),

    /**
     * Returns the tasks that fit into a channel's window now, from the campaigns' queues: those that are due first, then the
     * oldest; without those that somebody looks at in focus review. Frees the places of tasks that are no longer open, unless
     * somebody reviews now.
     * @param limit 0 for any number
     */
    async next(
      ref: AccountRef,
      channel: ChannelId,
      campaigns: readonly CampaignId[],
      limit: number,
    ): Promise<TaskId[]> {
      const key = windowKey(ref, channel);
      const leased = new Set(await redis.zrangebyscore(leaseEndsKey(ref), `(${Math.floor(now())}`, '+inf'));
      if (limit > 0 && leased.size === 0) await freePlaces(ref, key);
      const room = limit > 0 ? Math.min(atOnce, limit - (await redis.scard(key))) : atOnce;
      if (room <= 0 || campaigns.length === 0) return [];
      const first = await firstDue(redis, ref, campaigns, queueKey, room + leased.size);
      return first.filter((id) => !leased.has(id)).slice(0, room);
    },
  };
}

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
