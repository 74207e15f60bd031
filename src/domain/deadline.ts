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
