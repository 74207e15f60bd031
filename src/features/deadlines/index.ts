import { chunksOf } from '../../domain/group.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { Feature } from '../../slack/feature.ts';
import type { FeatureContext } from '../shared/context.ts';
import { accountOfReminder } from './reminder.view.ts';
import { createReminderMessages } from './reminders.ts';

/** Number of cards updated with a changed deadline per poll; Slack's rate limit is reserved for people's actions. */
const cardsPerPoll = 15;
/** Number of tasks with a changed deadline examined per poll. */
const examinedPerPoll = 1_000;
const recordsAtOnce = 200;

/** Creates the deadlines: shows changed ones on cards, and reminds channels of tasks that are due. */
export function createDeadlinesFeature(context: FeatureContext & { readonly reminderPaceMs: number }) {
  const { jobs, openTasks, reminders, tasks } = context;
  const messages = createReminderMessages(context);

  /** Queues re-rendering of cards with a changed deadline, earliest deadline first. */
  async function showChanged(ref: AccountRef): Promise<void> {
    const changed = await openTasks.changed(ref, examinedPerPoll);
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

  const feature: Feature = {
    /** Posts a deleted reminder again while tasks are due. */
    async messageDeleted({ workspace, channel, ts, blocks }) {
      const account = accountOfReminder(blocks);
      if (account === undefined) return;
      const ref = { workspace, account };
      const gone = { type: 'card-gone', messageRef: { channel, ts } } as const;
      if ((await reminders.apply(ref, channel, gone)).changed)
        await jobs.add('remind', { ...ref, channel }, { uniqueKey: `${ref.account} ${channel}` });
    },
  };

  return {
    feature,
    jobs: messages.jobs,
    async afterPoll(ref: AccountRef): Promise<void> {
      await openTasks.countChanged(ref);
      await showChanged(ref);
      await messages.refresh(ref);
    },
  };
}
