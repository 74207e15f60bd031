import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { AssignedNotice } from '../../domain/assigned-notice.ts';
import type { Assignment } from '../../domain/task.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { actions, context, input, type Message, modal, notice, plainText } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { user } from '../../slack/mrkdwn.ts';
import { assignmentText } from '../../ui/task.view.ts';
import { counted, dueLines, number, overdueWords } from '../../ui/words.ts';
import { mineButton } from '../focus/public.ts';

/** State of the form. `above`: the modal in which it was opened. */
export const assignState = codec(
  'form',
  z.object({ account: AccountId, task: TaskId, seen: z.string(), above: z.string().optional() }),
  'Open *Details…* on the card again.',
);

/** Returns the form that assigns a task. */
export function assignModal(state: string): ModalView {
  return modal({
    callbackId: 'assignment.assign',
    title: 'Assign this task',
    submit: 'Assign',
    state,
    blocks: [
      input('member', 'Colleague', {
        type: 'users_select',
        placeholder: plainText('Choose a colleague'),
      }),
      context(
        'They get a direct message now, and a reminder before the task is due. Others can still rate the task.',
      ),
    ],
  });
}

export const memberMayNotRate =
  'Only reviewers can be assigned tasks. Choose somebody else, or ask an owner to make this person a reviewer.';

/** Returns the outcome of an assignment, in mrkdwn. */
export function changedText(to: MemberId | undefined, member: MemberId): string {
  if (to === undefined) return ':white_check_mark: This task is now unassigned.';
  if (to === member) return ':white_check_mark: Assigned to you. To review your tasks, type `/review mine`.';
  return `:white_check_mark: Assigned to ${user(to)}.`;
}

/** Returns that somebody else was faster, in mrkdwn. @param stands the current assignment */
export function overtakenText(stands: Assignment | undefined, member: MemberId): string {
  if (stands === undefined)
    return ':warning: Somebody has just unassigned this task, so nothing was changed.';
  const next = stands.to === member ? '' : ' To take it anyway, choose *Take over* in *Details…*.';
  return `:warning: Somebody was quicker, so nothing was changed. ${assignmentText(stands, member)}.${next}`;
}

/** Maximum number of members named who assigned tasks. */
const namedPeople = 5;

/** Returns the notice to a member about their tasks. */
export function noticeMessage(account: AccountId, content: AssignedNotice): Message {
  const control = content.state === 'some' ? [actions('assigned', [mineButton(account)])] : [];
  return notice(textOf(content), ...control);
}

function textOf(content: AssignedNotice): string {
  const { state, count, assigned } = content;
  if (state === 'none') return 'You have no assigned tasks left to review.';
  if (state === 'renewed') return 'See the newer message below.';
  const people = assigned.map(({ by, tasks }) => `${user(by)} assigned you *${counted(tasks, 'task')}*.`);
  const more = people.length - namedPeople;
  return [
    ...people.slice(0, namedPeople),
    ...(more > 0 ? [`And ${more} more ${more === 1 ? 'colleague' : 'colleagues'} did.`] : []),
    `You have *${counted(count, 'task')}* to review.`,
    ...ownDueLines(content),
  ].join('\n');
}

function ownDueLines({ late, within }: AssignedNotice): string[] {
  const all = within.at(-1) ?? 0;
  if (all === 0) return [];
  const own = `*${number(all)}* of your tasks`;
  if (late === all) return [`${own} ${overdueWords(all)}`];
  const due = `${all === 1 ? 'is' : 'are'}${late > 0 ? ' overdue or' : ''} due soon:`;
  return [`${own} ${due}`, ...dueLines({ late, within })];
}
