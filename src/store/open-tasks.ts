import type { Redis } from 'ioredis';
import { z } from 'zod';
import { dayMs, keyOf, unknownTime } from '../domain/index-changes.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** Lowest score of tasks without a known deadline: they come after all others, oldest first. */
export const unknownDeadline = 4e15;

/** The days that a campaign's tasks may wait, by campaign. */
export const daysKey = (ref: AccountRef) => accountKey(ref, 'times-to-rate');
/** The open tasks of an account. */
export const openKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'open');
const ofCampaignKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, keyOf.openOf(campaign));
const campaignsKey = (ref: AccountRef) => accountKey(ref, keyOf.openCampaigns);

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
 * Creates the index of open tasks by campaign, from which their order and their number by deadline follow: a task is due some
 * days after it was finished, the same for all of its campaign. It is written in the steps that write the tasks' records.
 */
export function createOpenTasks(redis: Redis) {
  /** Returns the campaigns with open tasks, each with its days if they are known. */
  async function withDays(ref: AccountRef): Promise<Map<CampaignId, number | undefined>> {
    const ids = z.array(CampaignId).parse(await redis.smembers(campaignsKey(ref)));
    if (ids.length === 0) return new Map();
    const days = await redis.hmget(daysKey(ref), ...ids);
    return new Map(ids.map((id, index) => [id, days[index] == null ? undefined : Number(days[index])]));
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

  async function waitingIn(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<WaitingCampaign[]> {
    if (campaigns.length === 0) return [];
    const days = await redis.hmget(daysKey(ref), ...campaigns);
    return Promise.all(
      campaigns.map(async (campaign, index) => {
        const key = ofCampaignKey(ref, campaign);
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
          ...(oldest < unknownTime && ofOldest != null ? { dueAt: oldest + Number(ofOldest) * dayMs } : {}),
        };
      }),
    );
  }

  return {
    waitingIn,

    /** Returns the first `limit` open tasks, in the order in which they are due; then those that are due at no known time. */
    async queue(ref: AccountRef, limit: number): Promise<TaskId[]> {
      const campaigns = await withDays(ref);
      const all = await Promise.all(
        [...campaigns].map(async ([campaign, days]) => {
          const key = ofCampaignKey(ref, campaign);
          const found = await redis.zrange(key, '0', String(limit - 1), 'WITHSCORES');
          return found.flatMap((id, index) => {
            if (index % 2 === 1) return [];
            const finished = Number(found[index + 1]);
            const isKnown = days !== undefined && finished < unknownTime;
            return [{ id, score: isKnown ? finished + days * dayMs : unknownDeadline + finished }];
          });
        }),
      );
      const sorted = all.flat().sort((a, b) => a.score - b.score || (a.id < b.id ? -1 : 1));
      return sorted.slice(0, limit).map(({ id }) => TaskId.parse(id));
    },

    /** Returns the open tasks of campaigns, in no order. */
    async ofCampaigns(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<TaskId[]> {
      const found = await Promise.all(
        campaigns.map((campaign) => redis.zrange(ofCampaignKey(ref, campaign), '0', '-1')),
      );
      return z.array(TaskId).parse(found.flat());
    },

    /** Returns how many tasks are open. */
    async count(ref: AccountRef): Promise<number> {
      return redis.zcard(openKey(ref));
    },

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
      const waiting = await waitingIn(ref, [...(await withDays(ref)).keys()]);
      const score = ({ dueAt, oldest = unknownTime }: WaitingCampaign) => dueAt ?? unknownDeadline + oldest;
      return waiting
        .filter(({ dueAt = Number.POSITIVE_INFINITY }) => until === undefined || dueAt <= until)
        .sort((a, b) => score(a) - score(b) || (a.campaign < b.campaign ? -1 : 1))
        .slice(from, from + limit)
        .map(({ campaign }) => campaign);
    },

    /** Returns how many campaigns have open tasks. */
    async campaignCount(ref: AccountRef): Promise<number> {
      return redis.scard(campaignsKey(ref));
    },

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

    /** Returns the number of open tasks by payment (decimal text; '' when unknown). */
    async byPayment(ref: AccountRef): Promise<Map<string, number>> {
      const ids = [...(await withDays(ref)).keys()];
      const found = new Map<string, number>();
      if (ids.length === 0) return found;
      const [payments, waiting] = await Promise.all([
        redis.hmget(accountKey(ref, 'payments'), ...ids),
        this.countOf(ref, ids),
      ]);
      for (const [index, payment] of payments.entries())
        found.set(payment ?? '', (found.get(payment ?? '') ?? 0) + (waiting[index] ?? 0));
      return found;
    },
  };
}
