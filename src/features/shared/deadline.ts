import { deadlineOf, finishedAtOf } from '../../domain/deadline.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { TimesToRate } from '../../store/tasks.ts';

/** Creates the lookup of task deadlines: after its deadline, the marketplace may approve a task on its own. */
export function createDeadlines(timesToRate: Pick<TimesToRate, 'getMany'>) {
  return {
    /**
     * Returns the deadlines of these tasks (ms). Tasks with an unknown deadline are left out: the campaign's time to
     * rate was not set, or the marketplace gave no time.
     */
    async dueAt(
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
