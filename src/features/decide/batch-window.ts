import { groupBy } from '../../domain/collections.ts';
import { decisionDueAt } from '../../domain/task.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/** A due decision waits if another one of its campaign comes due within this time (ms). */
export const batchWindowMs = 1_000;

/** Maximum time a due decision waits for others (ms), so that a steady stream delays none indefinitely. */
const longestWaitMs = 3_000;

/**
 * Returns the due decisions to send now: those of campaigns without more decisions coming due in a moment. In a burst, a
 * campaign thus gets one call instead of one per second. No decision is sent before it is due, and each can be undone
 * until it is sent.
 * @param coming decisions that come due within {@link batchWindowMs}
 * @param at the time (ms)
 */
export function readyToSend(
  due: readonly TaskWithDecision[],
  coming: readonly TaskWithDecision[],
  at: number,
): TaskWithDecision[] {
  const withMore = new Set(coming.filter(isUntried).map(({ campaign }) => campaign));
  const mayWait = (task: TaskWithDecision) =>
    isUntried(task) && at - (decisionDueAt(task) ?? 0) < longestWaitMs;
  return [...groupBy(due, ({ campaign }) => campaign)].flatMap(([campaign, group]) =>
    withMore.has(campaign) && group.every(mayWait) ? [] : group,
  );
}

/** Returns whether a decision was neither tried nor held yet; one that was has already waited. */
function isUntried({ decision }: TaskWithDecision): boolean {
  return decision.state === 'waiting' && decision.attempts === 0;
}
