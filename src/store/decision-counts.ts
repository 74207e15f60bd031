import type { Redis } from 'ioredis';
import type { TaskEvent } from '../domain/events.ts';
import { type DecidedHour, historyDays, hourMs } from '../domain/forecast.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, type CampaignId, MemberId } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

const dayMs = 86_400_000;
/** Counts are stored a day longer than they are looked at (s). */
const storedSeconds = (historyDays + 2) * 86_400;

const dayKey = (ref: AccountRef, at: number) => accountKey(ref, 'decisions', String(Math.floor(at / dayMs)));
/** The counts of a campaign are read on the same day and the one after, whatever the zone (s). */
const campaignSeconds = 3 * 86_400;
const campaignDayKey = (ref: AccountRef, campaign: CampaignId, at: number) =>
  accountKey(ref, 'decisions', 'of', campaign, String(Math.floor(at / dayMs)));
const sinceKey = (ref: AccountRef) => accountKey(ref, 'decisions', 'since');

/**
 * Returns the step that counts a decision of somebody in its hour, or takes it off again when it is undone; undefined for
 * events that do neither. Made together with the change of the task's record, so that each counts once.
 */
export function decisionStep(
  ref: AccountRef,
  event: TaskEvent,
  before: Task | undefined,
): CommitStep | undefined {
  const counted = countedIn(event, before);
  return counted && stepOf(ref, counted.at, counted.by, counted.change);
}

/** Returns the step that counts the same decision in its campaign. */
export function ofCampaignStep(
  ref: AccountRef,
  event: TaskEvent,
  before: Task | undefined,
  campaign: CampaignId,
): CommitStep | undefined {
  const counted = countedIn(event, before);
  if (counted === undefined) return undefined;
  const { at, by, change } = counted;
  return {
    keys: [campaignDayKey(ref, campaign, at)],
    args: [`${Math.floor(at / hourMs)} ${by}`, change, campaignSeconds],
    lua: (key, arg) => `
redis.call('HINCRBY', KEYS[${key}], ARGV[${arg}], ARGV[${arg + 1}])
redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 2}])`,
  };
}

/** Returns the decision that an event makes or undoes. */
function countedIn(
  event: TaskEvent,
  before: Task | undefined,
): { readonly at: number; readonly by: MemberId; readonly change: 1 | -1 } | undefined {
  if (event.type === 'decided') return { at: event.at, by: event.decision.by, change: 1 };
  const undone =
    event.type === 'undone' && before?.decision?.id === event.decision ? before.decision : undefined;
  return undone && { at: undone.at, by: undone.by, change: -1 };
}

function stepOf(ref: AccountRef, at: number, by: MemberId, change: 1 | -1): CommitStep {
  const hour = Math.floor(at / hourMs);
  return {
    keys: [dayKey(ref, at), sinceKey(ref)],
    args: [`${hour} ${by}`, change, storedSeconds, hour * hourMs],
    lua: (key, arg) => `
redis.call('HINCRBY', KEYS[${key}], ARGV[${arg}], ARGV[${arg + 1}])
redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 2}])
redis.call('SET', KEYS[${key + 1}], ARGV[${arg + 3}], 'NX')`,
  };
}

/** How many tasks somebody has decided. */
export interface Reviewed {
  readonly by: MemberId;
  readonly count: number;
}

function reviewedSince(days: readonly Record<string, string>[], since: number): Reviewed[] {
  const counts = new Map<MemberId, number>();
  for (const [field, text] of days.flatMap((day) => Object.entries(day))) {
    const [hour, member] = field.split(' ');
    const by = MemberId.safeParse(member).data;
    if (by === undefined || (Number(hour) + 1) * hourMs <= since) continue;
    counts.set(by, (counts.get(by) ?? 0) + Number(text));
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([by, count]) => ({ by, count }))
    .sort((a, b) => b.count - a.count || (a.by < b.by ? -1 : 1));
}

export type DecisionCounts = ReturnType<typeof createDecisionCounts>;

/** Creates the reader of how many decisions people made in each hour: two weeks of them, a few fields a day. */
export function createDecisionCounts(redis: Redis) {
  return {
    /** Returns the hours before `now` (ms) in which somebody decided, and since when decisions are counted. */
    async history(
      ref: AccountRef,
      now: number,
    ): Promise<{ readonly since: number | undefined; readonly hours: DecidedHour[] }> {
      const pipeline = redis.pipeline();
      pipeline.get(sinceKey(ref));
      for (let ago = historyDays; ago >= 0; ago -= 1) pipeline.hgetall(dayKey(ref, now - ago * dayMs));
      const [since, ...days] = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
        if (error) throw error;
        return answer;
      });
      const hours = new Map<number, DecidedHour>();
      for (const [field, text] of days.flatMap((day) => Object.entries(day as Record<string, string>))) {
        const at = Number(field.split(' ')[0]) * hourMs;
        const count = Number(text);
        if (!(count > 0) || !Number.isFinite(at)) continue;
        const { decisions = 0, reviewers = 0 } = hours.get(at) ?? {};
        hours.set(at, { at, decisions: decisions + count, reviewers: reviewers + 1 });
      }
      return { since: since === null ? undefined : Number(since), hours: [...hours.values()] };
    },

    /** Returns who has decided how many tasks of campaigns since a time (ms) of the last two days, the most first. */
    async ofCampaigns(
      ref: AccountRef,
      campaigns: readonly CampaignId[],
      since: number,
      now: number,
    ): Promise<Map<CampaignId, Reviewed[]>> {
      const days = [...new Set([since, now].map((at) => Math.floor(at / dayMs)))];
      const pipeline = redis.pipeline();
      for (const campaign of campaigns)
        for (const day of days) pipeline.hgetall(campaignDayKey(ref, campaign, day * dayMs));
      const answers = ((await pipeline.exec()) ?? []).map(([error, answer]) => {
        if (error) throw error;
        return answer as Record<string, string>;
      });
      return new Map(
        campaigns.map((campaign, index) => [
          campaign,
          reviewedSince(answers.slice(index * days.length, (index + 1) * days.length), since),
        ]),
      );
    },
  };
}
