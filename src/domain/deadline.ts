import { DateTime } from 'luxon';
import type { Task } from './task.ts';

const dayMs = 86_400_000;
/** The range of a campaign's time to rate in days ("Limits" of the marketplace API). */
export const daysToRate = { min: 1, max: 30 } as const;
/** Minimum time between sending a decision and the task's deadline (ms). */
const marginMs = 60_000;

/**
 * Returns a task's deadline for rating (ms); after it, the marketplace may approve the task on its own.
 * @param finishedAt when the worker finished (ms)
 * @param days the campaign's `ttr` ("Limits" of the marketplace API: 1 to 30)
 * @returns undefined when either is unknown
 */
export function deadlineOf(finishedAt: number | undefined, days: number | undefined): number | undefined {
  return finishedAt === undefined || days === undefined ? undefined : finishedAt + days * dayMs;
}

/** Returns when the worker finished a task (ms), from whichever source has it; undefined if none does. */
export function finishedAtOf({
  proof,
  submittedAt,
}: Pick<Task, 'proof' | 'submittedAt'>): number | undefined {
  return proof.finishedAt ?? submittedAt;
}

/**
 * Returns when a decision made at `at` is sent (ms): after the undo period, but well before the task's deadline.
 * @param isOfMany part of a quick series: it waits for the next multiple of `undoMs`, so that decisions of such a period
 *   share one call
 */
export function sendTime(at: number, undoMs: number, deadline: number | undefined, isOfMany = false): number {
  const undoneUntil = at + undoMs;
  const wanted = isOfMany && undoMs > 0 ? Math.ceil(undoneUntil / undoMs) * undoMs : undoneUntil;
  return deadline === undefined ? wanted : Math.max(at, Math.min(wanted, deadline - marginMs));
}

/**
 * Returns the span from the start of one day to the last second of another, for the marketplace's date filters.
 * @param from `YYYY-MM-DD`; if absent or invalid, the span is open at this end
 * @param to like `from`
 * @param zone the IANA zone of the days
 */
export function daysSpan(
  from: string | undefined,
  to: string | undefined,
  zone: string,
): { readonly from?: Date; readonly to?: Date } {
  const first = day(from, zone)?.startOf('day');
  const last = day(to, zone)?.endOf('day').startOf('second');
  return { ...(first ? { from: first.toJSDate() } : {}), ...(last ? { to: last.toJSDate() } : {}) };
}

function day(text: string | undefined, zone: string): DateTime | undefined {
  const read = text === undefined ? undefined : DateTime.fromISO(text, { zone });
  return read?.isValid ? read : undefined;
}

/** Returns the day of a time (ms) in a zone, as `YYYY-MM-DD`. */
export function dayIn(at: number, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd');
}
