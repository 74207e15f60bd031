import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/collections.ts';
import { dayMs, indexChanges, keyOf, type Op, unknownTime } from '../domain/index-changes.ts';
import { formerOf } from '../domain/live-message.ts';
import { decisionDueAt, isOpen, Task, type TaskEvent, type TransitionResult } from '../domain/task.ts';
import { type AccountRef, CampaignId, type ChannelId, type Rating, TaskId } from '../domain/terms.ts';
import { transition } from '../domain/transition.ts';
import { type AuditStep, type AuditWriter, auditEntryOf, createAuditWriter } from './audit.ts';
import { campaignIds } from './campaigns.ts';
import { accountKey, createCodec, numberCodec } from './format.ts';
import { createRecords, type SizeLimit } from './records.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

export const taskCodec = createCodec('task', Task);

/**
 * The indexes of tasks: `due`, by the time their decision must be sent or read back · `open`, tasks to be decided, oldest
 * first · `moved`, tasks with a former card that does not say so yet · `held`, tasks whose decision waits for their
 * campaign, by the time it is retried anyway.
 */
export type TaskIndex = 'due' | 'open' | 'moved' | 'held';

/** A task that an event has changed, at that time (ms). */
export interface TaskChange {
  readonly ref: AccountRef;
  readonly before: Task | undefined;
  readonly event: TaskEvent;
  readonly after: Task;
  readonly at: number;
}

export type Tasks = ReturnType<typeof createTasks>;

/**
 * Creates the store of all tasks. Nothing else writes them, and only events change them.
 * @param zone the marketplace's: bonuses count towards a day there
 * @param onChange called after each change
 */
export function createTasks(
  redis: Redis,
  logger?: ErrorLogger,
  now: () => number = Date.now,
  audit: AuditWriter = createAuditWriter({ now }),
  zone = 'UTC',
  onChange?: (change: TaskChange) => void,
) {
  const records = createRecords<Task, TaskIndex, TaskId>(
    redis,
    {
      codec: taskCodec,
      id: TaskId,
      indexes: {
        due: decisionDueAt,
        open: (task) => (isOpen(task) ? (task.submittedAt ?? task.proof.finishedAt ?? 0) : undefined),
        moved: ({ card, revision }) => (formerOf(card).length > 0 ? revision : undefined),
        held: (task) => (task.decision?.problem?.waitsFor === 'campaign' ? decisionDueAt(task) : undefined),
      },
      labels: {
        of: ({ campaign, rating }) => ({ group: campaign, text: letterOf[rating] }),
        groups: (ref) => campaignIds(redis, ref),
      },
    },
    logger,
    now,
  );

  /**
   * Applies an event to a task. Concurrent events are applied one after the other. Returns the result, with the task as it
   * is stored now.
   * @param also other changes made in the same step when the event is applied
   */
  async function apply(
    ref: AccountRef,
    id: TaskId,
    event: TaskEvent,
    also: readonly Op[] = [],
    sizeLimit?: SizeLimit,
  ): Promise<TransitionResult> {
    for (;;) {
      const loaded = await records.load(ref, id);
      const { value } = loaded;
      const outcome = transition(value, event);
      if (outcome.kind !== 'done') return outcome;
      const { task } = outcome;
      const needsRender = task.card.state !== 'backlog' && task.revision !== value?.revision;
      const entry = auditEntryOf(value, event, task);
      const auditStep = entry && audit(ref, entry);
      const ops = [...indexChanges({ before: value, event, after: task, zone }), ...also];
      const write = { value: task, needsRender, ops, sizeLimit, audit: auditStep?.text };
      const stored = await records.commit(ref, id, loaded, write);
      if (stored === 'outdated') continue;
      if (stored === 'refused') return { kind: 'rejected', task: value };
      auditStep?.stored();
      onChange?.({ ref, before: value, event, after: task, at: now() });
      return outcome;
    }
  }

  const valuesOf = (loaded: readonly { readonly value: Task | undefined }[]) =>
    loaded.flatMap(({ value }) => (value === undefined ? [] : [value]));

  return {
    apply: (ref: AccountRef, id: TaskId, event: TaskEvent, also: readonly Op[] = []) =>
      apply(ref, id, event, also),

    /**
     * Gives a waiting task a card in a channel, if its window has room at that moment. @param limit most open cards there; 0
     * for any number
     */
    async giveCard(
      ref: AccountRef,
      id: TaskId,
      channel: ChannelId,
      limit: number,
    ): Promise<TransitionResult> {
      const sizeLimit = limit === 0 ? undefined : { key: keyOf.window(channel), limit };
      return apply(ref, id, { type: 'card-wanted', channel }, [], sizeLimit);
    },

    loadMany: records.loadMany,

    async get(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
      return (await records.load(ref, id)).value;
    },

    /** Returns those of these tasks that have a record: not those of which only the rating is known. */
    async getMany(ref: AccountRef, ids: readonly TaskId[]): Promise<Task[]> {
      return valuesOf(await records.loadMany(ref, ids));
    },

    /** Returns the same tasks by their ids. */
    async byId(ref: AccountRef, ids: readonly TaskId[]): Promise<Map<TaskId, Task>> {
      return new Map((await this.getMany(ref, ids)).map((task) => [task.id, task]));
    },

    /**
     * Removes the record of a task whose details were removed, if nothing remains to be done about the task: only its
     * rating stays. Resolves to whether it is removed.
     */
    async forget(ref: AccountRef, id: TaskId): Promise<boolean> {
      const loaded = await records.load(ref, id);
      return loaded.value?.detailsRemovedAt !== undefined && (await records.forget(ref, id, loaded));
    },

    /** Returns the tasks of a campaign that were rated OK or NOK and may have a record. */
    async ratedWithRecords(ref: AccountRef, campaign: CampaignId): Promise<TaskId[]> {
      const letters = [...(await records.labels(ref, campaign))];
      return letters.flatMap(([id, text]) => (text === letterOf.OK || text === letterOf.NOK ? [id] : []));
    },

    find: records.find,
    count: records.count,
    lowest: records.lowest,
    needsRender: records.needsRender,

    /** Returns which of these tasks are to be decided, and when each was submitted (ms, 0 when unknown). */
    async submittedAt(ref: AccountRef, ids: readonly TaskId[]): Promise<Map<TaskId, number>> {
      return records.scores(ref, 'open', ids);
    },

    clearNeedsRender: records.clearNeedsRender,
    markNeedsRender: records.markNeedsRender,
    acquireRenderLease: records.acquireRenderLease,

    /** Returns the last known rating of every task of a campaign. */
    async knownRatings(ref: AccountRef, campaign: CampaignId): Promise<Map<TaskId, Rating>> {
      const known = new Map<TaskId, Rating>();
      for (const [id, letter] of await records.labels(ref, campaign)) {
        const rating = ratingOf(letter);
        if (rating) known.set(id, rating);
      }
      return known;
    },

    /** Returns the last known ratings of some tasks of a campaign, in the order asked for. */
    async knownRatingsOf(
      ref: AccountRef,
      campaign: CampaignId,
      ids: readonly TaskId[],
    ): Promise<(Rating | undefined)[]> {
      const letters = await records.labelsOf(ref, campaign, ids);
      return letters.map((letter) => (letter === null ? undefined : ratingOf(letter)));
    },

    /**
     * Stores the ratings of tasks that need no record: rated before the bot saw them, or not reviewed by the marketplace
     * yet. Ratings that differ from `known`, their state when the tasks were read, stay unchanged.
     */
    async recordRatings(
      ref: AccountRef,
      campaign: CampaignId,
      ratings: ReadonlyMap<TaskId, Rating>,
      known: ReadonlyMap<TaskId, Rating>,
    ): Promise<void> {
      await records.recordKnown(ref, campaign, lettersOf(ratings), lettersOf(known));
    },
  };
}

const letterOf: Readonly<Record<Rating, string>> = {
  NOTREVIEWED: 'W',
  NOTRATED: 'N',
  OK: 'O',
  NOK: 'X',
  REVISE: 'R',
};

function lettersOf(ratings: ReadonlyMap<TaskId, Rating>): Map<TaskId, string> {
  return new Map([...ratings].map(([id, rating]) => [id, letterOf[rating]]));
}

const ratingsByLetter = new Map(
  Object.entries(letterOf).map(([rating, letter]) => [letter, rating as Rating]),
);

/** Returns the rating that a label begins with. */
const ratingOf = (text: string) => ratingsByLetter.get(text.charAt(0));

/**
 * Orders tasks by their deadline. Those without a known one come after all others, oldest first.
 * @param finished when a task was finished (ms)
 * @param days how long it may wait
 */
export const dueOrder = (finished: number, days: number | undefined) =>
  days === undefined || finished >= unknownTime ? 4e15 + finished : finished + days * dayMs;

/** The days that a campaign's tasks may wait, by campaign. */
const daysKey = (ref: AccountRef) => accountKey(ref, 'times-to-rate');
/** The open tasks of an account. */
export const openKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'open');
const ofCampaignKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, keyOf.openOf(campaign));
const campaignsKey = (ref: AccountRef) => accountKey(ref, keyOf.openCampaigns);

/** Returns how many days the tasks of campaigns may wait, in the order asked for; undefined where that is unknown. */
export async function daysOf(redis: Redis, ref: AccountRef, campaigns: readonly CampaignId[]) {
  if (campaigns.length === 0) return [];
  const days = await redis.hmget(daysKey(ref), ...campaigns);
  return days.map((one) => (one === null ? undefined : Number(one)));
}

/**
 * Returns the first tasks of each campaign, in the order in which they are due.
 * @param key returns the key of a campaign's tasks by finish time
 */
export async function firstDue(
  redis: Redis,
  ref: AccountRef,
  campaigns: readonly CampaignId[],
  key: (ref: AccountRef, campaign: CampaignId) => string,
  most: number,
): Promise<TaskId[]> {
  const [days, sets] = await Promise.all([
    daysOf(redis, ref, campaigns),
    Promise.all(campaigns.map((id) => redis.zrange(key(ref, id), '0', String(most - 1), 'WITHSCORES'))),
  ]);
  const tasks = sets.flatMap((set, index) =>
    chunksOf(set, 2).map(([id, time]) => ({
      id: TaskId.parse(id),
      order: dueOrder(Number(time), days[index]),
    })),
  );
  return tasks.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}

/** How many tasks of a campaign wait, and their known times. */
export interface WaitingCampaign {
  readonly campaign: CampaignId;
  readonly waiting: number;
  /** When the oldest of them was finished (ms); absent when unknown. */
  readonly oldest?: number;
  /** When the first of them is due (ms); absent when unknown. */
  readonly dueAt?: number;
}

/** Returns how many tasks of campaigns wait, by the key of the set that they wait in. */
export async function waitingIn(
  redis: Redis,
  ref: AccountRef,
  campaigns: readonly CampaignId[],
  keyIn: (ref: AccountRef, campaign: CampaignId) => string,
): Promise<WaitingCampaign[]> {
  const days = await daysOf(redis, ref, campaigns);
  return Promise.all(
    campaigns.map(async (campaign, index) => {
      const key = keyIn(ref, campaign);
      const [waiting, [, first]] = await Promise.all([
        redis.zcard(key),
        redis.zrange(key, '0', '0', 'WITHSCORES'),
      ]);
      const oldest = Number(first ?? unknownTime);
      const ofOldest = days[index];
      return {
        campaign,
        waiting,
        ...(oldest < unknownTime ? { oldest } : {}),
        ...(oldest < unknownTime && ofOldest !== undefined ? { dueAt: oldest + ofOldest * dayMs } : {}),
      };
    }),
  );
}

/**
 * Creates the index of open tasks by campaign, from which their order and their number by deadline follow: a task is due some
 * days after it was finished, the same for all of its campaign. It is written in the steps that write the tasks' records.
 */
export function createOpenTasks(redis: Redis) {
  const waitingOpen = (ref: AccountRef, campaigns: readonly CampaignId[]) =>
    waitingIn(redis, ref, campaigns, ofCampaignKey);

  /** Returns the campaigns with open tasks, each with its days if they are known. */
  async function withDays(ref: AccountRef): Promise<Map<CampaignId, number | undefined>> {
    const ids = z.array(CampaignId).parse(await redis.smembers(campaignsKey(ref)));
    const days = await daysOf(redis, ref, ids);
    return new Map(ids.map((id, index) => [id, days[index]]));
  }

  /** Counts the tasks of campaigns finished up to a time each. Unknown times are not counted. */
  async function countsUntil(
    ref: AccountRef,
    asked: readonly { readonly campaign: CampaignId; readonly finishedBy: number }[],
  ): Promise<number[]> {
    return Promise.all(
      asked.map(({ campaign, finishedBy }) =>
        redis.zcount(ofCampaignKey(ref, campaign), '-inf', Math.min(finishedBy, unknownTime - 1)),
      ),
    );
  }

  return {
    waitingIn: waitingOpen,

    /** Returns the first `limit` open tasks, in the order in which they are due; then those that are due at no known time. */
    async queue(ref: AccountRef, limit: number): Promise<TaskId[]> {
      const campaigns = z.array(CampaignId).parse(await redis.smembers(campaignsKey(ref)));
      return (await firstDue(redis, ref, campaigns, ofCampaignKey, limit)).slice(0, limit);
    },

    /** Returns the open tasks of campaigns, in no order. */
    async ofCampaigns(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<TaskId[]> {
      const found = await Promise.all(
        campaigns.map((campaign) => redis.zrange(ofCampaignKey(ref, campaign), '0', '-1')),
      );
      return z.array(TaskId).parse(found.flat());
    },

    /** Returns when the oldest open task was submitted (ms); undefined when there is none, or it is unknown. */
    async oldest(ref: AccountRef): Promise<number | undefined> {
      const [, score] = await redis.zrangebyscore(openKey(ref), '(0', '+inf', 'WITHSCORES', 'LIMIT', 0, 1);
      return score === undefined ? undefined : Number(score);
    },

    /** Returns how many tasks are open. */
    count: (ref: AccountRef): Promise<number> => redis.zcard(openKey(ref)),

    /**
     * Returns how many tasks are due by each of these times (ms), including those that already have. Infinity counts all
     * tasks with a known deadline.
     */
    async countsUntil(ref: AccountRef, times: readonly number[]): Promise<number[]> {
      const known = [...(await withDays(ref))].flatMap(([campaign, days]) =>
        days === undefined ? [] : [{ campaign, days }],
      );
      return Promise.all(
        times.map(async (until) => {
          const asked = known.map(({ campaign, days }) => ({ campaign, finishedBy: until - days * dayMs }));
          return (await countsUntil(ref, asked)).reduce((sum, count) => sum + count, 0);
        }),
      );
    },

    /**
     * Returns the campaigns with open tasks, by their earliest deadline, then by their oldest task.
     * @param until (ms) only those with a deadline by then
     */
    async campaigns(
      ref: AccountRef,
      { until, from = 0, limit = 1_000 }: { until?: number; from?: number; limit?: number } = {},
    ): Promise<CampaignId[]> {
      const waiting = await waitingOpen(ref, [...(await withDays(ref)).keys()]);
      const score = ({ dueAt, oldest = unknownTime }: WaitingCampaign) =>
        dueAt ?? dueOrder(oldest, undefined);
      return waiting
        .filter(({ dueAt = Number.POSITIVE_INFINITY }) => until === undefined || dueAt <= until)
        .sort((a, b) => score(a) - score(b) || (a.campaign < b.campaign ? -1 : 1))
        .slice(from, from + limit)
        .map(({ campaign }) => campaign);
    },

    /** Returns how many campaigns have open tasks. */
    campaignCount: (ref: AccountRef): Promise<number> => redis.scard(campaignsKey(ref)),

    /** Returns how many tasks of each of these campaigns are open, in the order asked for. */
    async countOf(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<number[]> {
      return Promise.all(campaigns.map((campaign) => redis.zcard(ofCampaignKey(ref, campaign))));
    },

    /** Returns how many tasks of each campaign are due by each of these times (ms), including those that already have. */
    async countsIn(
      ref: AccountRef,
      campaigns: ReadonlyMap<CampaignId, number>,
      times: readonly number[],
    ): Promise<Map<CampaignId, number[]>> {
      return new Map(
        await Promise.all(
          [...campaigns].map(async ([campaign, days]) => {
            const asked = times.map((until) => ({ campaign, finishedBy: until - days * dayMs }));
            return [campaign, await countsUntil(ref, asked)] as const;
          }),
        ),
      );
    },
  };
}

export const timeToRateCodec = numberCodec('time-to-rate');

export type TimesToRate = ReturnType<typeof createTimesToRate>;

/**
 * Creates the store of how many days a campaign's tasks may wait for their rating (`ttr` of new_campaign, 1 to 30). No
 * endpoint returns it later, so it is stored when a campaign is created in Slack, or when somebody enters it.
 */
export function createTimesToRate(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: timeToRateCodec, field: CampaignId, key: daysKey }, logger);
  return {
    /**
     * Stores a campaign's days. Resolves to the previous ones.
     * @param stepOf returns the audit entry that is added, given the previous days; not called when nothing changes
     */
    put: (
      ref: AccountRef,
      campaign: CampaignId,
      days: number,
      stepOf?: (before: number | undefined) => AuditStep | undefined,
    ) => stored.update(ref, campaign, () => days, stepOf),

    get: stored.get,
    getMany: stored.getMany,
  };
}
