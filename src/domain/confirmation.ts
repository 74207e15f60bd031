import type { SeenRow } from './events.ts';
import type { Proof, Worker } from './task.ts';
import type { Rating, TaskId } from './terms.ts';

/** What get_task_info says of a task, and when it was asked (ms). */
export interface TaskAnswer {
  readonly askedAt: number;
  readonly id: TaskId;
  readonly rating: Rating;
  readonly comment: string;
  readonly worker: Worker;
  readonly proof: Proof;
}

declare const isConfirmed: unique symbol;

/** A row of the results on which get_task_info agrees. Only {@link confirm} makes one. */
export type ConfirmedRow = SeenRow & { readonly answer: TaskAnswer; readonly [isConfirmed]: true };

/**
 * Returns a row with its proof, or undefined when get_task_info does not agree: one of the two lags behind then, and
 * nothing is known. What was asked before the row was read is no proof either.
 */
export function confirm(row: SeenRow, answer: TaskAnswer): ConfirmedRow | undefined {
  if (answer.id !== row.id || answer.rating !== row.rating || answer.askedAt < row.readAt) return undefined;
  return { ...row, answer } as ConfirmedRow;
}
