import type { TaskId } from './terms.ts';

/** What runs out within so many hours comes first in a review, whoever has it. */
export const urgentHours = 6;

/**
 * Returns a queue in the order in which a member reviews it: what is urgent, then their own tasks, then those that nobody
 * has, then those of others. Within each, the order stays: what runs out first.
 * @param urgent how many tasks at the beginning of the queue run out soon
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
