import type { SeenRow } from './events.ts';
import type { Proof, Worker } from './task.ts';
import type { Rating, TaskId } from './terms.ts';

/** get_task_info's answer on a task, and when it was asked (ms). */
export interface TaskAnswer {
  readonly askedAt: number;
  readonly id: TaskId;
  readonly rating: Rating;
  readonly comment: string;
  readonly worker: Worker;
  readonly proof: Proof;
}

declare const isConfirmed: unique symbol;

/** A row of the results confirmed by get_task_info. Only {@link confirm} creates one. */
export type ConfirmedRow = SeenRow & { readonly answer: TaskAnswer; readonly [isConfirmed]: true };

/**
 * Returns a row with its confirmation, or undefined if get_task_info disagrees: one of the two lags, and neither is
 * trusted. An answer from before the row was read confirms nothing either.
 */
export function confirm(row: SeenRow, answer: TaskAnswer): ConfirmedRow | undefined {
  if (answer.id !== row.id || answer.rating !== row.rating || answer.askedAt < row.readAt) return undefined;
  return { ...row, answer } as ConfirmedRow;
}
