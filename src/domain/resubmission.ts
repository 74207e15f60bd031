import { normalizeSpace } from './text.ts';

const quarterHourMs = 900_000;

/** What a worker submitted: when (ms; undefined when unreadable), and the text of each slot. */
export interface Submission {
  readonly submittedAt: number | undefined;
  readonly slots: readonly string[];
}

/** Returns whether a time of submission is later than the known one. An unreadable time proves nothing. */
export function isSubmittedLater(known: number | undefined, now: number | undefined): boolean {
  return known !== undefined && now !== undefined && now > known;
}

/**
 * Returns whether a task that waits for its rating has another proof than the known one: it was sent back and corrected on
 * the website meanwhile. A later time with the same texts proves this only when both times come from the same source and
 * do not differ by whole quarter hours, which would be the same moment in another time zone.
 */
export function isResubmitted(known: Submission, now: Submission, hasSameSource: boolean): boolean {
  if (known.submittedAt === undefined || now.submittedAt === undefined) return false;
  const laterMs = now.submittedAt - known.submittedAt;
  if (laterMs <= 0) return false;
  const hasOtherText = normalizeSpace(known.slots.join(' ')) !== normalizeSpace(now.slots.join(' '));
  return hasOtherText || (hasSameSource && laterMs % quarterHourMs !== 0);
}
