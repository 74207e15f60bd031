import type { ModalView } from '@slack/types';
import { isMemberOf } from '../../domain/assignment.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountId, MemberId } from '../../domain/terms.ts';
import { actions, button, modal, section } from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/message-tags.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { lookAlikeAction } from '../../ui/evidence.view.ts';
import { assignmentLine, noteActions } from '../../ui/task.view.ts';
import { assignButtons } from '../assignments/public.ts';

/** Data of the modal of further actions. */
export interface MoreData {
  readonly account: AccountId;
  readonly task: Task;
  readonly campaignTitle: string;
  /** The member who opened it. */
  readonly member: MemberId;
  /** The outcome of the last action, in mrkdwn. */
  readonly outcome?: string | undefined;
}

/** Returns the modal with entries a card's menu has no room for: the assignment, and the details. */
export function moreModal({ account, task, campaignTitle, member, outcome }: MoreData): ModalView {
  const { assignment, worker } = task;
  const about = `*${inline(campaignTitle)}*\nWorker ${inline(worker.name ?? worker.id, 60)}`;
  const assign = isOpen(task) ? assignButtons(task, isMemberOf(assignment, member)) : [];
  return modal({
    callbackId: 'task.more',
    title: 'More for this task',
    blocks: [
      ...(outcome === undefined ? [] : [section(outcome)]),
      section(about),
      ...(assignment && isOpen(task) ? [section(assignmentLine(assignment))] : []),
      actions(encodeCardBlock({ account, round: task.round }), [
        ...assign,
        button('Notes…', noteActions.open, task.id),
        button('Look alike…', lookAlikeAction, task.id),
        button('Details…', 'task.more.details', task.id),
      ]),
    ],
  });
}
