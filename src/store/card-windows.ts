import type { Redis } from 'ioredis';
import { z } from 'zod';
import { finishedAtOf } from '../domain/deadline.ts';
import { chunksOf } from '../domain/group.ts';
import { isOpen, type Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, type ChannelId, TaskId } from '../domain/terms.ts';
import { type CommitStep, joinSteps } from './commit-step.ts';
import { accountKey } from './keys.ts';
import { dayMs, daysKey, openKey, unknownDeadline, unknownTime } from './open-tasks.ts';

/** The open tasks that have a card in a channel, or are about to: each takes a place in its window. */
const windowKey = (ref: AccountRef, channel: ChannelId) => accountKey(ref, 'window', 'cards', channel);
/** The open tasks of a campaign without a card, by finish time. */
const queueKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, 'window', 'queue', campaign);
/** The lengths of these queues, by campaign. */
const queuesKey = (ref: AccountRef) => accountKey(ref, 'window', 'queues');
const leaseEndsKey = (ref: AccountRef) => accountKey(ref, 'focus', 'lease-ends');
const leasesKey = (ref: AccountRef) => accountKey(ref, 'focus', 'leases');

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

/** Returns the channel in whose window a task's card is or will be. */
function channelOf({ card }: Task): ChannelId | undefined {
  if (card.state === 'posted') return card.channel;
  return card.state === 'wanted' ? (card.attempt?.channel ?? card.channel) : undefined;
}

/** Returns since when a task waits without a card (ms); undefined for a task that does not wait. */
function queuedAt(task: Task): number | undefined {
  return isOpen(task) && task.card.state === 'backlog' ? (finishedAtOf(task) ?? unknownTime) : undefined;
}

/**
 * Returns the step that updates windows and queues, made together with a change of a task's record. It writes only changes;
 * without the previous record, it writes everything.
 */
export function windowStep(ref: AccountRef, before: Task | undefined, task: Task): CommitStep {
  const isQueueKept = before !== undefined && queuedAt(before) === queuedAt(task);
  return joinSteps(isQueueKept ? undefined : queueStep(ref, task), roomChange(ref, before, task));
}

/** Returns the step that adds a task to the queue of its campaign, or removes it. */
function queueStep(ref: AccountRef, task: Task): CommitStep {
  return {
    keys: [queueKey(ref, task.campaign), queuesKey(ref)],
    args: [queuedAt(task) ?? '', task.campaign],
    lua: (key, arg) => `
do
  local since, isOther = ARGV[${arg}], true
  if since ~= '' then redis.call('ZADD', KEYS[${key}], since, ARGV[2])
  else isOther = redis.call('ZREM', KEYS[${key}], ARGV[2]) == 1 end
  if isOther then
    local waiting = redis.call('ZCARD', KEYS[${key}])
    if waiting == 0 then redis.call('ZREM', KEYS[${key + 1}], ARGV[${arg + 1}])
    else redis.call('ZADD', KEYS[${key + 1}], waiting, ARGV[${arg + 1}]) end
  end
end`,
  };
}

/**
 * Returns the step that reserves or frees a task's place in a window; undefined when the place does not change. A task that
 * is decided during somebody's focus review keeps its place until nobody reviews there: otherwise the next cards would be
 * decided before they are seen.
 */
function roomChange(ref: AccountRef, before: Task | undefined, task: Task): CommitStep | undefined {
  const [from, to] = [before && channelOf(before), channelOf(task)];
  const [wasOpen, isNowOpen] = [before !== undefined && isOpen(before), isOpen(task)];
  if (wasOpen && isNowOpen && from === to) return undefined;
  const leaves = from !== undefined && (isNowOpen ? from !== to : wasOpen);
  const enters = to !== undefined && isNowOpen;
  return joinSteps(
    leaves
      ? {
          keys: [windowKey(ref, from), leasesKey(ref)],
          args: [],
          lua: (key) =>
            isNowOpen
              ? `redis.call('SREM', KEYS[${key}], ARGV[2])`
              : `if redis.call('HEXISTS', KEYS[${key + 1}], ARGV[2]) == 0 then redis.call('SREM', KEYS[${key}], ARGV[2]) end`,
        }
      : undefined,
    enters
      ? { keys: [windowKey(ref, to)], args: [], lua: (key) => `redis.call('SADD', KEYS[${key}], ARGV[2])` }
      : undefined,
  );
}

/** Returns the step that prevents all writes while a channel's window is full. */
export function roomStep(ref: AccountRef, channel: ChannelId, limit: number): CommitStep {
  return {
    keys: [windowKey(ref, channel)],
    args: [limit],
    lua: () => '',
    guard: (key, arg) => `redis.call('SCARD', KEYS[${key}]) < tonumber(ARGV[${arg}])`,
  };
}

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
      const found = await redis.zrange(queuesKey(ref), '0', '-1', 'WITHSCORES');
      return new Map(chunksOf(found, 2).map(([id, count]) => [CampaignId.parse(id), Number(count)]));
    },

    /** Returns whether any task waits without a card. */
    async isAnyQueued(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(queuesKey(ref))) === 1;
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
