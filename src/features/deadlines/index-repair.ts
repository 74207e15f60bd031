import { chunksOf } from '../../domain/group.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Number of cards updated with a changed deadline per poll; Slack's rate limit is reserved for people's actions. */
const cardsPerPoll = 15;
/** Number of tasks with a changed deadline examined per poll. */
const lookedAtPerPoll = 1_000;
const recordsAtOnce = 200;

/**
 * Creates the repair of the open-tasks index where a loss left it incomplete, and the gradual update of cards whose
 * deadline has changed.
 */
export function createIndexRepair({
  logger,
  openTasks,
  tasks,
}: Pick<FeatureContext, 'logger' | 'openTasks' | 'tasks'>) {
  async function repair(ref: AccountRef, isThorough: boolean): Promise<void> {
    const ids = await openTasks.misplaced(ref, isThorough);
    for (const some of chunksOf(ids, recordsAtOnce)) {
      const records = await tasks.loadMany(ref, some);
      for (const [index, id] of some.entries()) {
        const record = records[index];
        if (record !== undefined) await openTasks.place(ref, id, record);
      }
    }
    if (ids.length > 0) logger.info({ ...ref, tasks: ids.length }, 'open tasks indexed by when they are due');
  }

  /** Queues re-rendering of cards with a changed deadline, earliest deadline first. */
  async function showChanged(ref: AccountRef): Promise<void> {
    const changed = await openTasks.changed(ref, lookedAtPerPoll);
    const dealtWith = new Map<TaskId, string>();
    let left = cardsPerPoll;
    for (const some of chunksOf([...changed.keys()], recordsAtOnce)) {
      if (left <= 0) break;
      const cards = new Set<TaskId>();
      for (const task of await tasks.getMany(ref, some))
        if (isOpen(task) && task.card.state === 'posted') cards.add(task.id);
      const now = [...cards].slice(0, left);
      left -= now.length;
      await tasks.markNeedsRender(ref, now);
      for (const id of some) if (!cards.has(id) || now.includes(id)) dealtWith.set(id, changed.get(id) ?? '');
    }
    await openTasks.clearChanged(ref, dealtWith);
  }

  return {
    async afterPoll(ref: AccountRef): Promise<void> {
      await repair(ref, false);
      await openTasks.countChanged(ref);
      await showChanged(ref);
    },
    async afterSweep(ref: AccountRef): Promise<void> {
      await repair(ref, true);
      await openTasks.rescore(ref);
    },
  };
}
