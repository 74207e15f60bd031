import { DateTime } from 'luxon';
import { z } from 'zod';
import { type MessageRef, Mirrored, type PostEvent, postTransition } from './live-message.ts';
import { ChannelId, MemberId, verdicts } from './terms.ts';

const PerVerdict = z.object({ OK: z.number(), NOK: z.number(), REVISE: z.number() }).readonly();
export type PerVerdict = z.infer<typeof PerVerdict>;

/** What was reviewed in a time. */
export const DailyContent = z
  .object({
    /** From when until when (ms) decisions are counted that became ratings. */
    from: z.number(),
    until: z.number(),
    ratings: PerVerdict,
    /** By whom, the most tasks first, and how many tasks the others reviewed. */
    reviewers: z.array(z.object({ member: MemberId, ratings: PerVerdict }).readonly()).readonly(),
    otherReviewers: z.object({ members: z.number(), tasks: z.number() }).readonly(),
    /** From the submission to the decision (ms), about; absent where no submission has a time. */
    medianMs: z.number().exactOptional(),
    /** Decimal texts: for the tasks, and as bonuses. */
    paid: z.string(),
    bonuses: z.string(),
    /** How many tasks rated OK were of campaigns whose payment is not known. */
    unpriced: z.number(),
    /** Why tasks were refused or sent back, the most frequent reason first. `name` absent: in the reviewer's own words. */
    reasons: z
      .array(
        z
          .object({ verdict: z.enum(verdicts), name: z.string().exactOptional(), tasks: z.number() })
          .readonly(),
      )
      .readonly(),
    /** How many tasks there were with other reasons. */
    otherReasons: z.number(),
  })
  .readonly();
export type DailyContent = z.infer<typeof DailyContent>;

/** The latest summary of a day in a channel. */
export const DailySummary = z
  .object({
    channel: ChannelId,
    /** The last day that was dealt with, as YYYY-MM-DD where its times are meant, and until when it counts (ms). */
    day: z.iso.date(),
    countedUntil: z.number(),
    /** Absent: there was nothing to say, or the message was found in the channel and what it says is not known. */
    content: DailyContent.exactOptional(),
    /** Slack took no charts. */
    isPlain: z.literal(true).exactOptional(),
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
  /** It was found in the channel. */
  | {
      readonly type: 'found';
      readonly messageRef: MessageRef;
      readonly day: string;
      readonly until: number;
    }
  | { readonly type: 'charts-refused' }
  | PostEvent;

/** Applies an event. Returns the changed summary, or undefined when nothing changes: each day is dealt with once. Pure. */
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
    case 'found': {
      const { messageRef, day, until } = event;
      if (before?.day === day && before.card.state === 'wanted')
        return { ...before, card: { state: 'posted', ...messageRef } };
      if (before !== undefined && before.day >= day) return undefined;
      const card = { state: 'posted', ...messageRef } as const;
      return {
        channel: messageRef.channel,
        day,
        countedUntil: until,
        card,
        revision: (before?.revision ?? 0) + 1,
      };
    }
    case 'charts-refused':
      return before === undefined || before.isPlain ? undefined : { ...before, isPlain: true };
    default: {
      if (before === undefined) return undefined;
      const card = postTransition(before.card, event, { isNeeded: false });
      return card && { ...before, card };
    }
  }
}

/** Returns whether a day is to be dealt with. One whose post has no answer yet is waited for. */
function isNext(before: DailySummary | undefined, day: string): boolean {
  if (before === undefined) return true;
  if (before.card.state === 'wanted' && before.card.attempt !== undefined) return false;
  return day > before.day;
}

/** Returns the last time of day `dailyAt` (HH:mm) that was not after `at` (ms), and on which day (YYYY-MM-DD) it was. */
export function lastDailyTime(
  at: number,
  dailyAt: string,
  zone: string,
): { readonly at: number; readonly day: string; readonly dayBefore: number } {
  const now = DateTime.fromMillis(at, { zone });
  const [hour = 0, minute = 0] = dailyAt.split(':').map(Number);
  const on = (day: DateTime) => day.set({ hour, minute, second: 0, millisecond: 0 });
  const today = on(now);
  const last = today > now ? on(now.minus({ days: 1 })) : today;
  return {
    at: last.toMillis(),
    day: last.toISODate() ?? '',
    dayBefore: on(last.minus({ days: 1 })).toMillis(),
  };
}

/** A summary tells of so many days (ms) at the most, after an outage. */
export const longestSpanMs = 7 * 86_400_000;

/**
 * Returns from when (ms) a summary counts: from where the one before ended, or from the time of day before. One that was
 * never posted is part of the next one.
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
