import { deadlineOf, finishedAtOf } from '../../domain/deadline.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

export type Deadlines = ReturnType<typeof createDeadlines>;

/** Creates what tells when the time to rate tasks runs out: after that, the marketplace may approve them by itself. */
export function createDeadlines({ timesToRate }: Pick<FeatureContext, 'timesToRate'>) {
  return {
    /**
     * Returns when each of these tasks runs out (ms). Left out are those of which it is not known: nobody has said how many
     * days their campaign's tasks may wait, or the marketplace gave no time.
     */
    async runsOutAt(
      ref: AccountRef,
      tasks: readonly Pick<Task, 'id' | 'campaign' | 'proof' | 'submittedAt'>[],
    ): Promise<Map<TaskId, number>> {
      const days = await timesToRate.getMany(ref, [...new Set(tasks.map(({ campaign }) => campaign))]);
      return new Map(
        tasks.flatMap((task) => {
          const at = deadlineOf(finishedAtOf(task), days.get(task.campaign));
          return at === undefined ? [] : [[task.id, at] as const];
        }),
      );
    },
  };
}
