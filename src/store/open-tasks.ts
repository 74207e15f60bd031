import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { accountKey } from './keys.ts';
import {
  changedCampaignsKey,
  countChangedKeys,
  countChangedScript,
  countKey,
  dayMs,
  deadlinesKey,
  firstKey,
  indexKeys,
  ofCampaignKey,
  outdatedKey,
  paymentsScript,
  putDaysScript,
  removeScript,
  unknownDeadline,
  unknownTime,
} from './open-task-index.ts';

/** How many tasks of a campaign wait, and their known times. */
export interface WaitingCampaign {
  readonly campaign: CampaignId;
  readonly waiting: number;
  /** When the oldest of them was finished (ms); absent when unknown. */
  readonly oldest?: number;
  /** When the first of them is due (ms); absent when unknown. */
  readonly dueAt?: number;
}

export type OpenTasks = ReturnType<typeof createOpenTasks>;

/**
 * Creates the index of open tasks by deadline to rate: tasks that are due first come first, then tasks without a known
 * deadline, oldest first. It is written in the steps that write the tasks' records (open-task-index.ts) and the days of
 * their campaigns. Nothing here loads a record or counts one by one, so everything costs the same with 10 and with 10,000
 * tasks.
 */
export function createOpenTasks(redis: Redis) {
  const deadlineOf = (score: string | undefined) => known(score, unknownDeadline);

  /**
   * Updates the counts of changed campaigns. Doing so at each change would cost five more commands, and nobody reads the
   * counts in a rush of decisions. Every poll does it, so that later reads have little to count.
   */
  async function countChanged(ref: AccountRef): Promise<void> {
    if ((await redis.exists(changedCampaignsKey(ref))) === 0) return;
    const keys = countChangedKeys(ref);
    await redis.eval(countChangedScript, keys.length, ...keys, accountKey(ref, 'tasks', 'open-of', ''));
  }

  return {
    countChanged,

    /** Returns the open tasks, in the order in which they are due. */
    async queue(ref: AccountRef, { from = 0, limit = 1_000 } = {}): Promise<TaskId[]> {
      return z
        .array(TaskId)
        .parse(await redis.zrange(deadlinesKey(ref), String(from), String(from + limit - 1)));
    },

    /** Returns the open tasks of campaigns, in no order. */
    async ofCampaigns(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<TaskId[]> {
      const pipeline = redis.pipeline();
      for (const campaign of campaigns) pipeline.zrange(ofCampaignKey(ref, campaign), '0', '-1');
      return z.array(TaskId).parse((await answersOf(pipeline)).flat());
    },

    /** Returns how many tasks are open. */
    async count(ref: AccountRef): Promise<number> {
      return redis.zcard(deadlinesKey(ref));
    },

    /**
     * Returns how many tasks are due by each of these times (ms), including those that already have. Infinity counts all
     * tasks with a known deadline.
     */
    async countsUntil(ref: AccountRef, times: readonly number[]): Promise<number[]> {
      return counts(
        redis,
        times.map((until) => ({ key: deadlinesKey(ref), until: Math.min(until, unknownDeadline - 1) })),
      );
    },

    /**
     * Returns the campaigns with open tasks, by their earliest deadline. @param until (ms) only those with a deadline by
     * then
     */
    async campaigns(
      ref: AccountRef,
      { until = Number.POSITIVE_INFINITY, from = 0, limit = 1_000 } = {},
    ): Promise<CampaignId[]> {
      await countChanged(ref);
      const top = Number.isFinite(until) ? until : '+inf';
      const found = await redis.zrangebyscore(firstKey(ref), '-inf', top, 'LIMIT', from, limit);
      return z.array(CampaignId).parse(found);
    },

    /** Returns how many campaigns have open tasks. */
    async campaignCount(ref: AccountRef): Promise<number> {
      await countChanged(ref);
      return redis.zcard(firstKey(ref));
    },

    /** Returns how many tasks of each of these campaigns are open, in the order asked for. */
    async countOf(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<number[]> {
      if (campaigns.length === 0) return [];
      await countChanged(ref);
      return (await redis.zmscore(countKey(ref), ...campaigns)).map((count) => Number(count ?? 0));
    },

    /** Returns the waiting tasks of several campaigns, in the order asked for. */
    async waitingIn(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<WaitingCampaign[]> {
      await countChanged(ref);
      const pipeline = redis.pipeline();
      for (const campaign of campaigns) {
        pipeline.zscore(countKey(ref), campaign);
        pipeline.zscore(firstKey(ref), campaign);
        pipeline.zrange(ofCampaignKey(ref, campaign), '0', '0', 'WITHSCORES');
      }
      const answers = await answersOf(pipeline);
      return campaigns.map((campaign, index) => {
        const [count, first, oldest] = answers.slice(index * 3) as [string | null, string | null, string[]];
        const dueAt = deadlineOf(first ?? undefined);
        const finishedAt = known(oldest[1], unknownTime);
        return {
          campaign,
          waiting: Number(count ?? 0),
          ...(finishedAt === undefined ? {} : { oldest: finishedAt }),
          ...(dueAt === undefined ? {} : { dueAt }),
        };
      });
    },

    /** Returns how many tasks of each campaign are due by each of these times (ms), including those that already have. */
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

    /** Returns the number of open tasks by payment (decimal text; '' when unknown). */
    async byPayment(ref: AccountRef): Promise<Map<string, number>> {
      await countChanged(ref);
      const keys = [countKey(ref), accountKey(ref, 'payments')];
      const found = z.array(z.string()).parse(await redis.eval(paymentsScript, 2, ...keys));
      return new Map(chunksOf(found, 2).map(([payment = '', count = '0']) => [payment, Number(count)]));
    },

    /**
     * Stores how many days a campaign's tasks may wait, with everything derived from it, in one step. Resolves to false when
     * the days have changed since they were read.
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

    /** Returns tasks whose deadline has changed since their card was rendered, in the order in which they are due. */
    async changed(ref: AccountRef, limit: number): Promise<Map<TaskId, string>> {
      const found = await redis.zrange(outdatedKey(ref), '0', String(limit - 1), 'WITHSCORES');
      return new Map(chunksOf(found, 2).map(([id, score = '']) => [TaskId.parse(id), score]));
    },

    /** Removes tasks returned by {@link changed}, once their cards are rendered again. */
    async clearChanged(ref: AccountRef, dealtWith: ReadonlyMap<TaskId, string>): Promise<void> {
      if (dealtWith.size > 0) await redis.eval(removeScript, 1, outdatedKey(ref), ...[...dealtWith].flat());
    },
  };
}

/** Returns the value of a score, or undefined when it represents an unknown value. */
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
