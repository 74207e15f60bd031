import { DateTime } from 'luxon';
import { z } from 'zod';
import { Mirrored, type PostEvent, withPost } from './live-message.ts';
import type { Money } from './money.ts';
import type { Task } from './task.ts';
import { type CampaignId, ChannelId, MemberId, type Verdict, verdicts } from './terms.ts';

const PerVerdict = z.object({ OK: z.number(), NOK: z.number(), REVISE: z.number() }).readonly();
export type PerVerdict = z.infer<typeof PerVerdict>;

/** Reviews within a period. */
export const DailyContent = z
  .object({
    /** Period (ms) of the decisions counted, which became ratings. */
    from: z.number(),
    until: z.number(),
    ratings: PerVerdict,
    /** Reviewers, most tasks first. */
    reviewers: z.array(z.object({ member: MemberId, ratings: PerVerdict }).readonly()).readonly(),
    /** Decimal texts: for the tasks, and as bonuses. */
    paid: z.string(),
    bonuses: z.string(),
    /** Number of tasks rated OK in campaigns with an unknown payment. */
    unpriced: z.number(),
    /** Reasons why tasks were refused or sent back, most frequent first. `name` absent: in the reviewer's own words. */
    reasons: z
      .array(
        z
          .object({ verdict: z.enum(verdicts), name: z.string().exactOptional(), tasks: z.number() })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();
export type DailyContent = z.infer<typeof DailyContent>;

/** A channel's latest daily summary. */
export const DailySummary = z
  .object({
    channel: ChannelId,
    /** The last completed day as YYYY-MM-DD in the channel's zone, and the end of its period (ms). */
    day: z.iso.date(),
    countedUntil: z.number(),
    /** Absent: nothing happened, or the message was found in the channel with unknown content. */
    content: DailyContent.exactOptional(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type DailySummary = z.infer<typeof DailySummary>;

export type DailySummaryEvent =
  | {
      readonly type: 'due';
      readonly channel: ChannelId;
      readonly day: string;
      readonly content: DailyContent;
    }
  /** Nothing happened on the day, or it is muted. */
  | {
      readonly type: 'skipped';
      readonly channel: ChannelId;
      readonly day: string;
      readonly until: number;
    }
  | PostEvent;

/** Applies an event. Returns the changed summary, or undefined when nothing changes: each day is processed once. Pure. */
export function applyDailySummaryEvent(
  before: DailySummary | undefined,
  event: DailySummaryEvent,
): DailySummary | undefined {
  switch (event.type) {
    case 'due': {
      if (!isNext(before, event.day)) return undefined;
      const { channel, day, content } = event;
      const revision = (before?.revision ?? 0) + 1;
      return { channel, day, countedUntil: content.until, content, card: { state: 'wanted' }, revision };
    }
    case 'skipped': {
      if (!isNext(before, event.day)) return undefined;
      const { channel, day, until } = event;
      const revision = before?.revision ?? 0;
      return { channel, day, countedUntil: until, card: { state: 'gone' }, revision };
    }
    default:
      return before && withPost(before, event, false);
  }
}

/** Returns whether a day is next. An unanswered post is waited for. */
function isNext(before: DailySummary | undefined, day: string): boolean {
  if (before === undefined) return true;
  if (before.card.state === 'wanted' && before.card.attempt !== undefined) return false;
  return day > before.day;
}

/** A time of day at which summaries are due. */
export interface DailyTime {
  /** In ms. */
  readonly at: number;
  /** YYYY-MM-DD. */
  readonly day: string;
  /** The same time of the day before (ms). */
  readonly dayBefore: number;
}

/** The hour at which a day is summed up, in the zone of whoever has subscribed the channel. */
export const dailyHour = 18;

/** Returns the last time {@link dailyHour} was, not after `at` (ms). */
export function lastDailyTime(at: number, zone: string): DailyTime {
  const now = DateTime.fromMillis(at, { zone });
  const on = (day: DateTime) => day.startOf('day').set({ hour: dailyHour });
  const today = on(now);
  const last = today > now ? on(now.minus({ days: 1 })) : today;
  return {
    at: last.toMillis(),
    day: last.toISODate() ?? '',
    dayBefore: on(last.minus({ days: 1 })).toMillis(),
  };
}

/** Maximum period of a summary (ms), after an outage. */
export const longestSpanMs = 7 * 86_400_000;

/**
 * Returns the start of a summary's period (ms): the end of the previous one, or the same time of the previous day. A
 * summary that was never posted becomes part of the next one.
 */
export function countedFrom(
  before: DailySummary | undefined,
  due: { readonly at: number; readonly dayBefore: number },
): number {
  if (before === undefined) return due.dayBefore;
  const isUnposted = before.card.state === 'wanted';
  const from = isUnposted ? (before.content?.from ?? before.countedUntil) : before.countedUntil;
  return Math.min(due.at, Math.max(from, due.at - longestSpanMs));
}

/** A decision that became a rating, for the counts. */
export interface SettledDecision {
  readonly at: number;
  readonly campaign: CampaignId;
  readonly by: MemberId;
  readonly verdict: Verdict;
  /** The saved reason used. */
  readonly reason?: string;
  /** Decimal text. */
  readonly bonus?: string;
}

/** Returns the decision that a change of a task has turned into a rating, if any; each is returned once. */
export function settledDecision(before: Task | undefined, after: Task): SettledDecision | undefined {
  const { decision } = after;
  if (decision?.state !== 'applied' || before?.decision?.state === 'applied') return undefined;
  return {
    at: after.ratedAt,
    campaign: after.campaign,
    by: decision.by,
    verdict: decision.verdict,
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
    ...(decision.bonus === undefined ? {} : { bonus: decision.bonus }),
  };
}

/** Counts of one campaign. */
export interface CampaignCounts {
  readonly campaign: CampaignId;
  readonly ratings: readonly { readonly by: MemberId; readonly verdict: Verdict; readonly tasks: number }[];
  /** `reason` absent: in the reviewer's own words. */
  readonly reasons: readonly {
    readonly verdict: Verdict;
    readonly reason?: string;
    readonly tasks: number;
  }[];
  readonly bonuses: Money;
}
