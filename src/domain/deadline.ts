import type { Task } from './task.ts';

const dayMs = 86_400_000;
/** The days that a campaign may say its tasks wait ("Limits" of the marketplace API). */
export const daysToRate = { min: 1, max: 30 } as const;
/** A decision is sent at least this long before the time to rate runs out. */
const marginMs = 60_000;

/**
 * Returns when a task's time to rate runs out (ms): after that, the marketplace may approve it by itself.
 * @param finishedAt when the worker finished (ms)
 * @param days the campaign's `ttr` ("Limits" of the marketplace API: 1 to 30)
 * @returns undefined when either is unknown
 */
export function deadlineOf(finishedAt: number | undefined, days: number | undefined): number | undefined {
  return finishedAt === undefined || days === undefined ? undefined : finishedAt + days * dayMs;
}

/** Returns when the worker finished a task (ms), from whichever source is known; undefined when none is. */
export function finishedAtOf({
  proof,
  submittedAt,
}: Pick<Task, 'proof' | 'submittedAt'>): number | undefined {
  return proof.finishedAt ?? submittedAt;
}

/**
 * Returns when a decision made at `at` is sent (ms): after the time to undo it, but well before the task's deadline.
 * @param isOfMany one of many that are made one after the other: it waits for the next moment that is a multiple of `undoMs`,
 * so that those made within such a time leave in one call
 */
export function sendTime(at: number, undoMs: number, deadline: number | undefined, isOfMany = false): number {
  const undoneUntil = at + undoMs;
  const wanted = isOfMany && undoMs > 0 ? Math.ceil(undoneUntil / undoMs) * undoMs : undoneUntil;
  return deadline === undefined ? wanted : Math.max(at, Math.min(wanted, deadline - marginMs));
}
