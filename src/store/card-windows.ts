import type { Redis } from 'ioredis';
import { z } from 'zod';
import { dayMs, keyOf, unknownTime } from '../domain/index-changes.ts';
import { type AccountRef, CampaignId, type ChannelId, TaskId } from '../domain/terms.ts';
import type { Room } from './commit-script.ts';
import { accountKey } from './keys.ts';
import { daysKey, openKey, unknownDeadline } from './open-tasks.ts';

const windowKey = (ref: AccountRef, channel: ChannelId) => accountKey(ref, keyOf.window(channel));
const queueKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, keyOf.queueOf(campaign));
const queuedCampaignsKey = (ref: AccountRef) => accountKey(ref, keyOf.queuedCampaigns);
const leaseEndsKey = (ref: AccountRef) => accountKey(ref, 'focus', 'lease-ends');

/** How many tasks are selected at a time where the window has no limit. */
const atOnce = 200;

/** How many tasks of a campaign wait without a card, and since when the oldest of them does. */
interface Queue {
  readonly waiting: number;
  /** When the oldest was finished (ms); absent when unknown. */
  readonly oldest?: number;
  /** How many of them are due by the requested time; 0 when it is not known how long they may wait. */
  readonly soon: number;
}

/** Returns the room that a channel's window must have for one more card. @param limit most open cards there */
export const roomIn = (ref: AccountRef, channel: ChannelId, limit: number): Room => ({
  key: windowKey(ref, channel),
  limit,
});

/**
 * Selects the next tasks for a window: from the campaigns' queues, those that are due first, then the oldest. Skips tasks
 * that somebody looks at in focus review. Frees the places of tasks that are no longer open, unless somebody reviews now.
 * KEYS: window, open, when leases end, days, then the queues. ARGV: limit (0: none), now, most, campaigns.
 */
const nextScript = `
local limit, room, now = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[2])
if limit > 0 then
  if redis.call('ZCOUNT', KEYS[3], '(' .. ARGV[2], '+inf') == 0 then
    for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
      if not redis.call('ZSCORE', KEYS[2], id) then redis.call('SREM', KEYS[1], id) end
    end
  end
  room = math.min(room, limit - redis.call('SCARD', KEYS[1]))
end
if room <= 0 then return {} end
local function isBefore(a, b)
  if a.score ~= b.score then return a.score < b.score end
  return a.id < b.id
end
local function advance(queue)
  while true do
    local one = redis.call('ZRANGE', KEYS[queue.key], queue.from, queue.from, 'WITHSCORES')
    if not one[1] then return false end
    queue.from = queue.from + 1
    local ends = redis.call('ZSCORE', KEYS[3], one[1])
    if not ends or tonumber(ends) <= now then
      local finished = tonumber(one[2])
      queue.id = one[1]
      queue.score = ${unknownDeadline} + finished
      if queue.days and finished < ${unknownTime} then queue.score = finished + queue.days * ${dayMs} end
      return true
    end
  end
end
local queues = {}
for i = 4, #ARGV do
  local queue = { key = i + 1, from = 0, days = tonumber(redis.call('HGET', KEYS[4], ARGV[i]) or '') }
  if advance(queue) then queues[#queues + 1] = queue end
end
table.sort(queues, isBefore)
local ids = {}
while #ids < room and queues[1] do
  local queue = queues[1]
  ids[#ids + 1] = queue.id
  if not advance(queue) then table.remove(queues, 1)
  else
    local at = 1
    while queues[at + 1] and isBefore(queues[at + 1], queue) do
      queues[at] = queues[at + 1]
      at = at + 1
    end
    queues[at] = queue
  end
end
return ids`;

export type CardWindows = ReturnType<typeof createCardWindows>;

/**
 * Creates the channels' windows on the queue of open tasks: which tasks have a card there, and which wait for one. They are
 * written in the steps that write the tasks' records, so that a window never exceeds its limit, however many processes fill
 * it.
 */
export function createCardWindows(redis: Redis, now: () => number = Date.now) {
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

    /**
     * Returns the queues of campaigns' tasks that wait without a card.
     * @param campaigns by the days that their tasks may wait; undefined when unknown
     * @param until tasks that are due by then (ms) are also counted separately
     */
    async queuesOf(
      ref: AccountRef,
      campaigns: ReadonlyMap<CampaignId, number | undefined>,
      until: number,
    ): Promise<Map<CampaignId, Queue>> {
      const pipeline = redis.pipeline();
      for (const [campaign, days] of campaigns) {
        const key = queueKey(ref, campaign);
        pipeline.zcard(key);
        pipeline.zrange(key, '0', '0', 'WITHSCORES');
        pipeline.zcount(key, '-inf', days === undefined ? '(-inf' : until - days * dayMs);
      }
      const answers = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
        if (error) throw error;
        return answer;
      });
      return new Map(
        [...campaigns.keys()].map((campaign, index) => {
          const [waiting, first, soon] = answers.slice(index * 3) as [number, string[], number];
          const oldest = Number(first[1] ?? unknownTime);
          return [campaign, { waiting, soon, ...(oldest < unknownTime ? { oldest } : {}) }];
        }),
      );
    },

    /**
     * Returns the tasks that fit into a channel's window now, in the order in which they are due. @param limit 0 for any
     * number
     */
    async next(
      ref: AccountRef,
      channel: ChannelId,
      campaigns: readonly CampaignId[],
      limit: number,
    ): Promise<TaskId[]> {
      const keys = [
        windowKey(ref, channel),
        openKey(ref),
        leaseEndsKey(ref),
        daysKey(ref),
        ...campaigns.map((campaign) => queueKey(ref, campaign)),
      ];
      const numbers = [limit, Math.floor(now()), atOnce];
      return z
        .array(TaskId)
        .parse(await redis.eval(nextScript, keys.length, ...keys, ...numbers, ...campaigns));
    },

    /** Returns how many open cards are in a channel, or are about to be. */
    async openIn(ref: AccountRef, channel: ChannelId): Promise<number> {
      return redis.scard(windowKey(ref, channel));
    },
  };
}
