import type { TaskId } from './terms.ts';

/** Tasks that are due within these hours come first in a review, whoever they are assigned to. */
export const urgentHours = 6;

/**
 * Returns a queue in a member's review order: urgent tasks, then their own, then unassigned ones, then those of others.
 * Within each group the order stays: earliest deadline first.
 * @param urgent number of tasks at the start of the queue that are due soon
 */
export function reviewOrder(
  queue: readonly TaskId[],
  {
    mine,
    others,
    urgent,
  }: { readonly mine: ReadonlySet<TaskId>; readonly others: ReadonlySet<TaskId>; readonly urgent: number },
): TaskId[] {
  const rest = queue.slice(urgent);
  return [
    ...queue.slice(0, urgent),
    ...rest.filter((task) => mine.has(task)),
    ...rest.filter((task) => !mine.has(task) && !others.has(task)),
    ...rest.filter((task) => others.has(task)),
  ];
}
