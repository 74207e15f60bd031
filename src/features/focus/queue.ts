import type { FocusSession } from '../../domain/focus.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { createWaitingTasks } from '../../kit/waiting-tasks.ts';

/** Capacity of a queue; it is refilled before it runs out. */
const maxQueued = 1_000;

/** Creates the queues of focus reviews: earliest deadline first, then longest waiting. */
export function createFocusQueue(deps: Modules) {
  const { tasks } = deps;
  const waitingTasks = createWaitingTasks(deps);

  return {
    /** Fills a review's queue. Returns how many waiting tasks exceed its capacity. */
    async fill(ref: AccountRef, { id, member, filter, skipped }: FocusSession): Promise<number> {
      const without = new Set(skipped);
      const waiting = (await waitingTasks.inOrder(ref, member, filter)).filter((task) => !without.has(task));
      await tasks.leases.fill(ref, id, waiting.slice(0, maxQueued));
      return Math.max(0, waiting.length - maxQueued);
    },
  };
}
