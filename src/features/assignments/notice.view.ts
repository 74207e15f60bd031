import type { AssignedNotice } from '../../domain/assigned-notice.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountId, TaskId } from '../../domain/terms.ts';
import { actions, type Message, section } from '../../slack/blocks.ts';
import { date, inline, link, plain, user } from '../../slack/mrkdwn.ts';
import { counted, dueLines, number } from '../../ui/words.ts';
import { mineButton } from '../focus/public.ts';

/** Displayed data of a task. */
export interface NamedTask {
  readonly task: Pick<Task, 'worker'>;
  readonly title: string;
  /** Link to its card. */
  readonly card?: string | undefined;
}

/** Maximum number of members named who assigned tasks. */
const namedPeople = 5;

/** Returns the notice to a member about their tasks. @param named the tasks it mentions, as far as known */
export function noticeMessage(
  account: AccountId,
  notice: AssignedNotice,
  named: ReadonlyMap<TaskId, NamedTask>,
): Message {
  const text = textOf(notice, named);
  return {
    text: plain(text),
    blocks: [section(text), ...(notice.state === 'some' ? [actions('assigned', [mineButton(account)])] : [])],
  };
}

function textOf(notice: AssignedNotice, named: ReadonlyMap<TaskId, NamedTask>): string {
  const { state, count, late, within, first, assigned, examples } = notice;
  if (state === 'none') return 'No task that is assigned to you is waiting for review.';
  if (state === 'renewed') return 'A newer message below says which tasks you have.';
  const soon = new Set(first.map(({ task }) => task));
  const people = assigned.map(({ by, tasks }) => `${user(by)} assigned you *${counted(tasks, 'task')}*.`);
  const more = people.length - namedPeople;
  const all = within.at(-1) ?? 0;
  const due = all === 0 ? [] : [`*${number(all)}* of your tasks ${all === 1 ? 'is' : 'are'} due soon:`];
  return [
    ...people.slice(0, namedPeople),
    ...(more > 0 ? [`And ${more} more ${more === 1 ? 'colleague' : 'colleagues'} did.`] : []),
    `You have *${counted(count, 'task')}* to review.`,
    ...due,
    ...dueLines({ late, within }),
    ...first.flatMap(({ task, runsOutAt }) => line(named.get(task), `due ${date(runsOutAt)}`)),
    ...examples.filter((task) => !soon.has(task)).flatMap((task) => line(named.get(task))),
  ].join('\n');
}

function line(known: NamedTask | undefined, until?: string): string[] {
  if (known === undefined) return [];
  const { task, title, card } = known;
  const worker = `Worker ${inline(task.worker.name ?? task.worker.id, 60)}`;
  const parts = [`*${inline(title, 80)}*`, worker, until, card && link(card, 'card')];
  return [`› ${parts.filter(Boolean).join(' · ')}`];
}
