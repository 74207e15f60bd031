import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { type Assignee, type Assignment, isMemberOf } from '../../domain/assignment.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { context, input, modal, plainText } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { assigneeName, assignmentText } from '../../ui/task.view.ts';
import { groupInput } from '../people/public.ts';

export const assignForm = 'assignment.assign';

/** State of the form. `above`: the modal in which it was opened. */
export const assignState = codec(
  'form',
  z.object({ account: AccountId, task: TaskId, seen: z.string(), above: z.string().optional() }),
  'Open *More…* on the card again.',
);

/** Returns the form that assigns a task. */
export function assignModal(state: string): ModalView {
  return modal({
    callbackId: assignForm,
    title: 'Assign this task',
    submit: 'Assign',
    state,
    blocks: [
      input(
        'member',
        'A colleague',
        { type: 'users_select', placeholder: plainText('Choose a colleague') },
        { isOptional: true },
      ),
      groupInput('Or a user group'),
      context(
        'They get a direct message now, and a reminder before the task is due. Others can still rate the task.',
      ),
    ],
  });
}

export const chooseOne = 'Choose a colleague or a user group, and not both.';
export const memberMayNotRate =
  'This person may not rate tasks of this account. Choose somebody else, or have an owner make them a reviewer.';
export const groupMayNotRate =
  'Nobody in this user group may rate tasks of this account. Choose another one, or have an owner make it a reviewer.';

/** Returns the outcome of an assignment, in mrkdwn. */
export function changedText(to: Assignee | undefined, member: MemberId): string {
  if (to === undefined) return ':white_check_mark: This task is free for everybody again.';
  if ('member' in to && to.member === member)
    return ':white_check_mark: You have taken this task. `/review mine` goes through your tasks.';
  return `:white_check_mark: Assigned to ${assigneeName(to)}.`;
}

/** Returns that somebody else was faster, in mrkdwn. @param stands the current assignment */
export function overtakenText(stands: Assignment | undefined, member: MemberId): string {
  if (stands === undefined)
    return ':warning: Nothing was changed: somebody has released this task meanwhile. It is free.';
  const isOwn = isMemberOf(stands, member);
  const next = isOwn ? '' : ' To take it anyway, choose *Take over*.';
  return `:warning: Somebody was quicker, so nothing was changed. ${assignmentText(stands, member)}.${next}`;
}
