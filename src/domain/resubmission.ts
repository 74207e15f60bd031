import { normalizeSpace } from './text.ts';

const quarterHourMs = 900_000;

/** A worker's submission: when (ms; undefined if unreadable), the text of each slot, and the files if known. */
export interface Submission {
  readonly submittedAt: number | undefined;
  readonly slots: readonly string[];
  readonly files?: readonly { readonly filename: string; readonly size: number }[];
}

/** Returns whether two times are the same moment, perhaps in different time zones. */
export function isSameMoment(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && (one - other) % quarterHourMs === 0;
}

/** Returns whether a lagging source shows an earlier submission than the one known from another source. */
export function isSubmittedBefore(known: number | undefined, now: number | undefined): boolean {
  return isSubmittedLater(now, known) && !isSameMoment(now, known);
}

/** Returns whether a submission time is later than the known one. An unreadable time proves nothing. */
export function isSubmittedLater(known: number | undefined, now: number | undefined): boolean {
  return known !== undefined && now !== undefined && now > known;
}

/**
 * Returns whether a task waiting for its rating has another proof than the known one, because it was sent back and
 * corrected on the website meanwhile. A later time with the same texts proves this only if both times come from the same
 * source and do not differ by whole quarter hours, which would be the same moment in another time zone.
 */
export function isResubmitted(known: Submission, now: Submission, hasSameSource: boolean): boolean {
  if (known.submittedAt === undefined || now.submittedAt === undefined) return false;
  const laterMs = now.submittedAt - known.submittedAt;
  if (laterMs <= 0) return false;
  return !hasSameText(known, now) || (hasSameSource && laterMs % quarterHourMs !== 0);
}

/**
 * Returns how a submission relates to the known one, both from the same source. If the times are inconclusive, different
 * content counts as later, unless it equals the previous round's: a lagging source shows old content.
 */
export function submissionOrder(
  known: Submission,
  now: Submission,
  before: readonly string[] | undefined,
): 'same' | 'later' | 'earlier' {
  const laterMs =
    known.submittedAt === undefined || now.submittedAt === undefined
      ? 0
      : now.submittedAt - known.submittedAt;
  const isSame = hasSameText(known, now) && hasSameFiles(known, now);
  if (isSame && laterMs % quarterHourMs === 0) return 'same';
  if (laterMs !== 0) return laterMs > 0 ? 'later' : 'earlier';
  return before !== undefined && hasSameText({ slots: before }, now) ? 'earlier' : 'later';
}

function hasSameText(one: Pick<Submission, 'slots'>, other: Pick<Submission, 'slots'>): boolean {
  return normalizeSpace(one.slots.join(' ')) === normalizeSpace(other.slots.join(' '));
}

function hasSameFiles({ files: one }: Submission, { files: other }: Submission): boolean {
  if (one === undefined || other === undefined) return true;
  return (
    one.length === other.length &&
    one.every(({ filename, size }, at) => filename === other[at]?.filename && size === other[at].size)
  );
}
