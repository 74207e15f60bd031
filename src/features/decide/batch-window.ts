import { groupBy } from '../../domain/group.ts';
import { dueAt } from '../../domain/task.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/** A decision waits for the next one of its campaign when that comes due within this (ms). */
export const batchWindowMs = 1_000;

/** How long after it came due a decision may still wait for others (ms), so that a steady stream of them holds none of them back. */
const longestWaitMs = 3_000;

/**
 * Returns which of the decisions that are due are sent now: all but those of campaigns of which more come due in a moment. In a
 * burst, a campaign gets one call instead of one for each second of the burst. No decision is sent before it is due, and each can
 * be undone until it is sent.
 * @param coming decisions that come due within {@link batchWindowMs}
 * @param at the time (ms)
 */
export function readyToSend(
  due: readonly TaskWithDecision[],
  coming: readonly TaskWithDecision[],
  at: number,
): TaskWithDecision[] {
  const withMore = new Set(coming.filter(isUntried).map(({ campaign }) => campaign));
  const mayWait = (task: TaskWithDecision) => isUntried(task) && at - (dueAt(task) ?? 0) < longestWaitMs;
  return [...groupBy(due, ({ campaign }) => campaign)].flatMap(([campaign, group]) =>
    withMore.has(campaign) && group.every(mayWait) ? [] : group,
  );
}

/** Returns whether a decision was neither tried nor held yet: one that was has waited already. */
function isUntried({ decision }: TaskWithDecision): boolean {
  return decision.state === 'waiting' && decision.attempts === 0;
}
