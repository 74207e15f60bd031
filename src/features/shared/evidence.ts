import type { Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import { askedOfTask } from './brief.ts';
import type { FeatureContext } from './context.ts';

type Deps = Pick<FeatureContext, 'briefs' | 'comparison' | 'evidence' | 'jobs' | 'logger' | 'tasks'>;

/** Creates the evidence search: compares a task with all others of its account, and updates the affected cards. */
export function createEvidenceSearch({ briefs, comparison, evidence, jobs, logger, tasks }: Deps) {
  /** Marks a task's card for an update. Returns the current task. */
  async function tell(ref: AccountRef, id: TaskId): Promise<Task | undefined> {
    const { kind, task } = await tasks.apply(ref, id, { type: 'evidence-found' });
    const isShown = kind === 'done' && task?.card.state === 'posted';
    if (isShown && (await tasks.needsRender(ref, id)))
      await jobs.addAll('redraw', [{ ...ref, task: id, isBackground: true }], cardJobKey);
    await evidence.told(ref, id);
    return task;
  }

  /** Compares a task with all others, and updates affected cards. Returns the current task. */
  async function search(ref: AccountRef, task: Task): Promise<Task> {
    const asked = await askedOfTask({ briefs }, ref, task);
    const instructions = asked === undefined ? '' : [asked.work, ...asked.proofs].join('\n');
    const { found, afterAnotherMs } = await comparison.compare(ref, task, instructions);
    let current = task;
    for (const id of new Set([...found, ...(await evidence.untold(ref))])) {
      const after = await tell(ref, id);
      if (after && id === task.id) current = after;
    }
    await evidence.pending.compared(ref, task, afterAnotherMs);
    return current;
  }

  return {
    search,

    /**
     * Does the same for a card that waits for it: if the comparison fails, the card is shown without it, and compared
     * later.
     */
    async searchForCard(ref: AccountRef, task: Task): Promise<Task> {
      if (task.detailsRemovedAt !== undefined) return task;
      try {
        if (!(await evidence.pending.has(ref, task.id))) return task;
        return await search(ref, task);
      } catch (error) {
        logger.warn({ task: task.id, reason: messageOf(error) }, 'task not compared with others');
        return task;
      }
    },
  };
}
