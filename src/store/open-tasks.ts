import type { Redis } from 'ioredis';
import { z } from 'zod';
import { finishedAtOf } from '../domain/deadline.ts';
import { chunksOf } from '../domain/group.ts';
import { isOpen, type Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import { type AuditStep, appendEntry } from './audit/writer.ts';
import { accountKey } from './keys.ts';
import type { CommitStep } from './records.ts';

/** Stands for the time of a task of which nobody knows when it was finished: such tasks come last. */
const unknownTime = 3e15;
/** Scores from this on are those of tasks whose deadline is not known: behind all others, the oldest first. */
const unknownDeadline = 4e15;
const dayMs = 86_400_000;

/** How many tasks are looked at in one step of Redis, or loaded at once. */
const atOnce = 500;

const daysKey = (ref: AccountRef) => accountKey(ref, 'times-to-rate');
const runsOutKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'runs-out');
const ofCampaignKey = (ref: AccountRef, campaign: CampaignId) =>
  accountKey(ref, 'tasks', 'open-of', campaign);
const firstKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'campaigns-by-deadline');
const countKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'campaigns-by-count');
const outdatedKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'deadline-changed');
const openKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'open');

/** The keys that every script below begins with, or has from some number on. */
const indexKeys = (ref: AccountRef, campaign: CampaignId) => [
  daysKey(ref),
  runsOutKey(ref),
  ofCampaignKey(ref, campaign),
  firstKey(ref),
  countKey(ref),
];

/**
 * Defines what all scripts need. `at`: the number of the first of {@link indexKeys}.
 * - `scoreOf`: a task's score in the index by deadline, from when it was finished and its campaign's days
 * - `countCampaign`: brings a campaign's own entries (how many wait, what runs out first) up to date
 */
const functions = (at: number) => `
local function scoreOf(days, finished)
  if days and finished < ${unknownTime} then return string.format('%.0f', finished + days * ${dayMs}) end
  return string.format('%.0f', ${unknownDeadline} + finished)
end
local function daysOf(campaign)
  return tonumber(redis.call('HGET', KEYS[${at}], campaign) or '')
end
local function countCampaign(campaign)
  local first = redis.call('ZRANGE', KEYS[${at + 2}], 0, 0, 'WITHSCORES')
  if not first[1] then
    redis.call('ZREM', KEYS[${at + 3}], campaign)
    redis.call('ZREM', KEYS[${at + 4}], campaign)
    return
  end
  redis.call('ZADD', KEYS[${at + 3}], scoreOf(daysOf(campaign), tonumber(first[2])), campaign)
  redis.call('ZADD', KEYS[${at + 4}], redis.call('ZCARD', KEYS[${at + 2}]), campaign)
end
`;

/** Puts a task in its place, or takes it out. `id`, `campaign`, `finished`: names of ARGV; '' is a task that is not open. */
const placeTask = (at: number, id: string, campaign: string, finished: string) => `
${functions(at)}
if ${finished} == '' then
  redis.call('ZREM', KEYS[${at + 1}], ${id})
  redis.call('ZREM', KEYS[${at + 2}], ${id})
else
  redis.call('ZADD', KEYS[${at + 1}], scoreOf(daysOf(${campaign}), tonumber(${finished})), ${id})
  redis.call('ZADD', KEYS[${at + 2}], ${finished}, ${id})
end
countCampaign(${campaign})
`;

/**
 * Scores all open tasks of a campaign anew, in one step however many there are, and notes those whose deadline is another
 * one: their cards show it soon. KEYS: the index, then the changed ones.
 */
const rescore = (campaign: string) => `
local days = daysOf(${campaign})
for from = 0, redis.call('ZCARD', KEYS[3]) - 1, ${atOnce} do
  local part = redis.call('ZRANGE', KEYS[3], from, from + ${atOnce - 1}, 'WITHSCORES')
  local ids, changed = {}, {}
  for i = 1, #part, 2 do ids[#ids + 1] = part[i] end
  for i, was in ipairs(redis.call('ZMSCORE', KEYS[2], unpack(ids))) do
    local score = scoreOf(days, tonumber(part[2 * i]))
    if tonumber(was or '0') ~= tonumber(score) then
      changed[#changed + 1] = score
      changed[#changed + 1] = ids[i]
    end
  end
  if #changed > 0 then
    redis.call('ZADD', KEYS[2], unpack(changed))
    redis.call('ZADD', KEYS[6], unpack(changed))
  end
end
countCampaign(${campaign})
`;

const rescoreScript = `${functions(1)}${rescore('ARGV[1]')}`;

/**
 * Stores a campaign's days, and scores its tasks by them. KEYS: the index, the changed ones, then an audit trail if an
 * entry is added. ARGV: campaign, the days as read ('' for none), the days from now on, entry. Returns 1, or 0 when they
 * have changed since they were read.
 */
const putDaysScript = `${functions(1)}
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
${rescore('ARGV[1]')}
if KEYS[7] then ${appendEntry('KEYS[7]', 'ARGV[4]')} end
return 1`;

/** Places a task as its record has it, unless that has changed. KEYS: the index, record. ARGV: id, campaign, finished, version. */
const replaceScript = `
if (redis.call('HGET', KEYS[6], 'version') or '0') ~= ARGV[4] then return end
${placeTask(1, 'ARGV[1]', 'ARGV[2]', 'ARGV[3]')}`;

/** Removes what was dealt with, unless it has changed again. KEYS: set. ARGV: id, its score, … */
const removeScript = `
for i = 1, #ARGV, 2 do
  if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i]) or '-1') == tonumber(ARGV[i + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[i])
  end
end`;

/** Returns what a campaign's waiting tasks are paid, as pairs of payment ('' when not known) and count. KEYS: counts, payments. */
const paymentsScript = `
local waiting = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local counts, order = {}, {}
for from = 1, #waiting, 4000 do
  local ids = {}
  for i = from, math.min(from + 3999, #waiting), 2 do ids[#ids + 1] = waiting[i] end
  for i, payment in ipairs(redis.call('HMGET', KEYS[2], unpack(ids))) do
    payment = payment or ''
    if not counts[payment] then order[#order + 1] = payment end
    counts[payment] = (counts[payment] or 0) + tonumber(waiting[from + 2 * i - 1])
  end
end
local found = {}
for _, payment in ipairs(order) do
  found[#found + 1] = payment
  found[#found + 1] = string.format('%.0f', counts[payment])
end
return found`;

/** Returns the step that keeps the index right, made together with a change of a task's record. */
export function openTaskStep(ref: AccountRef, task: Task): CommitStep {
  return {
    keys: indexKeys(ref, task.campaign),
    args: [task.campaign, isOpen(task) ? (finishedAtOf(task) ?? unknownTime) : ''],
    lua: (key, arg) => placeTask(key, 'ARGV[2]', `ARGV[${arg}]`, `ARGV[${arg + 1}]`),
  };
}

/** How many tasks of a campaign wait, and what is known of when. */
export interface WaitingCampaign {
  readonly campaign: CampaignId;
  readonly waiting: number;
  /** When the oldest of them was finished (ms); absent when that is not known. */
  readonly oldest?: number;
  /** When the first of them runs out (ms); absent when that is not known. */
  readonly runsOutAt?: number;
}

export type OpenTasks = ReturnType<typeof createOpenTasks>;

/**
 * Creates the index of open tasks by when their time to rate runs out: what runs out first comes first, then those of which
 * that is not known, the oldest first. It is written in the steps that write the tasks' records ({@link openTaskStep}) and
 * the days of their campaigns. Nothing here loads a record or counts one by one, so all of it costs the same with 10 and
 * with 10,000 tasks.
 */
export function createOpenTasks(redis: Redis) {
  const deadlineOf = (score: string | undefined) => known(score, unknownDeadline);

  return {
    /** Returns the open tasks, what runs out first first. */
    async queue(ref: AccountRef, { from = 0, limit = 1_000 } = {}): Promise<TaskId[]> {
      return z
        .array(TaskId)
        .parse(await redis.zrange(runsOutKey(ref), String(from), String(from + limit - 1)));
    },

    /** Returns how many tasks are open. */
    async count(ref: AccountRef): Promise<number> {
      return redis.zcard(runsOutKey(ref));
    },

    /**
     * Returns how many tasks run out until each of these times (ms), or have already; until infinity: all of which it is
     * known when.
     */
    async countsUntil(ref: AccountRef, times: readonly number[]): Promise<number[]> {
      return counts(
        redis,
        times.map((until) => ({ key: runsOutKey(ref), until: Math.min(until, unknownDeadline - 1) })),
      );
    },

    /** Returns the campaigns with open tasks, the one whose task runs out first first. @param until (ms) only those until then */
    async campaigns(
      ref: AccountRef,
      { until = Number.POSITIVE_INFINITY, limit = 1_000 } = {},
    ): Promise<CampaignId[]> {
      const top = Number.isFinite(until) ? until : '+inf';
      const found = await redis.zrangebyscore(firstKey(ref), '-inf', top, 'LIMIT', 0, limit);
      return z.array(CampaignId).parse(found);
    },

    /** Returns how many campaigns have open tasks. */
    async campaignCount(ref: AccountRef): Promise<number> {
      return redis.zcard(firstKey(ref));
    },

    /** Returns what waits in several campaigns, in their order. */
    async waitingIn(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<WaitingCampaign[]> {
      const pipeline = redis.pipeline();
      for (const campaign of campaigns) {
        pipeline.zscore(countKey(ref), campaign);
        pipeline.zscore(firstKey(ref), campaign);
        pipeline.zrange(ofCampaignKey(ref, campaign), '0', '0', 'WITHSCORES');
      }
      const answers = await answersOf(pipeline);
      return campaigns.map((campaign, index) => {
        const [count, first, oldest] = answers.slice(index * 3) as [string | null, string | null, string[]];
        const runsOutAt = deadlineOf(first ?? undefined);
        const finishedAt = known(oldest[1], unknownTime);
        return {
          campaign,
          waiting: Number(count ?? 0),
          ...(finishedAt === undefined ? {} : { oldest: finishedAt }),
          ...(runsOutAt === undefined ? {} : { runsOutAt }),
        };
      });
    },

    /** Returns how many tasks of each campaign run out until each of these times (ms), or have already. */
    async countsIn(
      ref: AccountRef,
      campaigns: ReadonlyMap<CampaignId, number>,
      times: readonly number[],
    ): Promise<Map<CampaignId, number[]>> {
      const found = await counts(
        redis,
        [...campaigns].flatMap(([campaign, days]) =>
          times.map((until) => ({ key: ofCampaignKey(ref, campaign), until: until - days * dayMs })),
        ),
      );
      return new Map(
        [...campaigns.keys()].map((campaign, index) => [
          campaign,
          found.slice(index * times.length, (index + 1) * times.length),
        ]),
      );
    },

    /** Returns how many open tasks there are by what each pays (decimal text; '' when that is not known). */
    async byPayment(ref: AccountRef): Promise<Map<string, number>> {
      const keys = [countKey(ref), accountKey(ref, 'payments')];
      const found = z.array(z.string()).parse(await redis.eval(paymentsScript, 2, ...keys));
      return new Map(chunksOf(found, 2).map(([payment = '', count = '0']) => [payment, Number(count)]));
    },

    /**
     * Stores how many days a campaign's tasks may wait, with all that follows from it, in one step. Resolves false when
     * they have changed since they were read.
     * @param before the days' text as read, '' for none
     */
    async putDays(
      ref: AccountRef,
      campaign: CampaignId,
      before: string,
      after: string,
      step: AuditStep | undefined,
    ): Promise<boolean> {
      const keys = [...indexKeys(ref, campaign), outdatedKey(ref), ...(step ? [step.key] : [])];
      const args = [campaign, before, after, step?.text ?? ''];
      const isDone = (await redis.eval(putDaysScript, keys.length, ...keys, ...args)) === 1;
      if (isDone) step?.stored();
      return isDone;
    },

    /** Returns tasks whose deadline has changed since their card was rendered, what runs out first first. */
    async changed(ref: AccountRef, limit: number): Promise<Map<TaskId, string>> {
      const found = await redis.zrange(outdatedKey(ref), '0', String(limit - 1), 'WITHSCORES');
      return new Map(chunksOf(found, 2).map(([id, score = '']) => [TaskId.parse(id), score]));
    },

    /** Reports that the cards of tasks, as {@link changed} returned them, are rendered again. */
    async clearChanged(ref: AccountRef, dealtWith: ReadonlyMap<TaskId, string>): Promise<void> {
      if (dealtWith.size > 0) await redis.eval(removeScript, 1, outdatedKey(ref), ...[...dealtWith].flat());
    },

    /** Returns the tasks that are open and not in the index, or the other way around; cheaply only whether there may be any. */
    async misplaced(ref: AccountRef, isThorough: boolean): Promise<TaskId[]> {
      const [open, indexed] = await Promise.all([redis.zcard(openKey(ref)), redis.zcard(runsOutKey(ref))]);
      if (open === indexed && !isThorough) return [];
      const [missing, left] = await Promise.all([
        redis.zdiff(2, openKey(ref), runsOutKey(ref)),
        redis.zdiff(2, runsOutKey(ref), openKey(ref)),
      ]);
      return z.array(TaskId).parse([...missing, ...left]);
    },

    /** Puts a task where its record of this version belongs; one without a record nowhere. */
    async place(
      ref: AccountRef,
      id: TaskId,
      { version, value }: { readonly version: number; readonly value: Task | undefined },
    ): Promise<void> {
      const record = accountKey(ref, 'task', id);
      const campaigns = value ? [value.campaign] : await this.campaigns(ref, { limit: 1_000_000 });
      const finished = value && isOpen(value) ? (finishedAtOf(value) ?? unknownTime) : '';
      for (const campaign of campaigns) {
        const keys = [...indexKeys(ref, campaign), record];
        await redis.eval(replaceScript, keys.length, ...keys, id, campaign, finished, version);
      }
    },

    /** Scores all open tasks by the days of their campaigns, where an earlier version of the bot did not. */
    async rescore(ref: AccountRef): Promise<void> {
      for (const campaign of await this.campaigns(ref, { limit: 1_000_000 })) {
        const keys = [...indexKeys(ref, campaign), outdatedKey(ref)];
        await redis.eval(rescoreScript, keys.length, ...keys, campaign);
      }
    },
  };
}

/** Returns what a score says, or undefined when it stands for something that is not known. */
function known(score: string | undefined, unknownFrom: number): number | undefined {
  const value = Number(score ?? Number.NaN);
  return value < unknownFrom ? value : undefined;
}

async function counts(
  redis: Redis,
  asked: readonly { readonly key: string; readonly until: number }[],
): Promise<number[]> {
  const pipeline = redis.pipeline();
  for (const { key, until } of asked) pipeline.zcount(key, '-inf', until);
  return (await answersOf(pipeline)) as number[];
}

async function answersOf(pipeline: ReturnType<Redis['pipeline']>): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
