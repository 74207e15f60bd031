import type { FocusSession } from '../../domain/focus.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createWaitingTasks } from '../shared/waiting-tasks.ts';

/** How many tasks a queue has room for; it is filled again before it runs out. */
const maxQueued = 1_000;

type Deps = Pick<
  FeatureContext,
  'assignments' | 'now' | 'openTasks' | 'secondLooks' | 'taskLeases' | 'tasks'
>;

/** Creates the queues of focus reviews: what runs out first, then what has waited longest. */
export function createFocusQueue(deps: Deps) {
  const { taskLeases } = deps;
  const waitingTasks = createWaitingTasks(deps);

  return {
    /** Fills the queue of a review. Returns how many more tasks wait than it has room for. */
    async fill(ref: AccountRef, { id, member, filter, skipped }: FocusSession): Promise<number> {
      const without = new Set(skipped);
      const waiting = (await waitingTasks.inOrder(ref, member, filter)).filter((task) => !without.has(task));
      await taskLeases.fill(ref, id, waiting.slice(0, maxQueued));
      return Math.max(0, waiting.length - maxQueued);
    },
  };
}
