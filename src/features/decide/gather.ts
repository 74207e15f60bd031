import { groupBy } from '../../domain/group.ts';
import { dueAt } from '../../domain/task.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/** A decision waits for another one of its campaign that comes due within this (ms). */
export const gatherMs = 1_000;

/** So long a decision waits for others at most (ms): whoever decides without a pause must not keep the first ones back. */
const mostWaitMs = 3_000;

/**
 * Returns which decisions are sent now, of those that are due: all but those of campaigns of which more come due in a moment.
 * In a burst of decisions, a campaign gets one call instead of one for each second of the burst. None is sent earlier for it, and
 * each can be undone until it is sent.
 * @param coming decisions that come due within {@link gatherMs}
 * @param at the time (ms)
 */
export function sentNow(
  due: readonly TaskWithDecision[],
  coming: readonly TaskWithDecision[],
  at: number,
): TaskWithDecision[] {
  const withMore = new Set(coming.filter(mayWait).map(({ campaign }) => campaign));
  return [...groupBy(due, ({ campaign }) => campaign)].flatMap(([campaign, group]) => {
    const isYoung = (task: TaskWithDecision) => mayWait(task) && at - (dueAt(task) ?? 0) < mostWaitMs;
    return withMore.has(campaign) && group.every(isYoung) ? [] : group;
  });
}

/** Whoever retries a decision, or sends one that was held, has kept it waiting already. */
function mayWait({ decision }: TaskWithDecision): boolean {
  return decision.state === 'waiting' && decision.attempts === 0;
}
