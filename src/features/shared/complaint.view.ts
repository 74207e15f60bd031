import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { type ComplaintOutcome, isDecided, type LookedAgain } from '../../domain/complaint.ts';
import type { Task } from '../../domain/task.ts';
import { AccountId, MessageId, TaskId } from '../../domain/terms.ts';
import { button, context, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { inline, link, user } from '../../slack/mrkdwn.ts';
import { ratingEmoji } from './rating-emoji.ts';

export const lookAgainAction = 'complaint.look';

/** Value of the button: the task, and the message that prompted it. */
export const lookAgainValue = codec(
  'button',
  z.object({ account: AccountId, message: MessageId, task: TaskId }),
  'Open the message again with `/inbox`.',
);

/** A task a message refers to. */
export interface LinkedTask {
  readonly task: Task;
  readonly campaignTitle: string;
  /** Link to its card, if it has one. */
  readonly card?: string;
  readonly lookedAgain?: LookedAgain;
}

/** What a message refers to, ready to render. */
export interface ShownAbout {
  readonly tasks: readonly LinkedTask[];
  /** Title of the campaign, where no task is identified. */
  readonly campaignTitle?: string;
}

export const outcomeWords: Readonly<Record<ComplaintOutcome, string>> = {
  right: 'the rating is right',
  wrong: 'the rating is wrong',
};

/** Returns what a message refers to: its tasks with their cards, and *Look again* for decided ones. */
export function aboutBlocks(
  account: AccountId,
  message: MessageId,
  { tasks, campaignTitle }: ShownAbout,
  canLookAgain: boolean,
): KnownBlock[] {
  if (tasks.length === 0)
    return campaignTitle === undefined ? [] : [context(`About the campaign *${inline(campaignTitle, 100)}*`)];
  const many = tasks.length > 1 ? [context('It may be about one of these tasks:')] : [];
  return [...many, ...tasks.map((linked) => taskBlock(account, message, linked, canLookAgain))];
}

function taskBlock(
  account: AccountId,
  message: MessageId,
  linked: LinkedTask,
  canLookAgain: boolean,
): KnownBlock {
  const { task, campaignTitle, card, lookedAgain } = linked;
  const facts = [ratingText(task), ...(card === undefined ? [] : [link(card, 'Open its card')])];
  const looked = lookedAgain
    ? [`Looked at again by ${user(lookedAgain.by)}: ${outcomeWords[lookedAgain.outcome]}.`]
    : [];
  const lines = [`About *${inline(campaignTitle, 80)}*${workerText(task)}`, facts.join(' · '), ...looked];
  const isOffered = canLookAgain && lookedAgain === undefined && isDecided(task);
  return section(lines.join('\n'), {
    block_id: `inbox-task/${account}/${task.id}`,
    ...(isOffered
      ? {
          accessory: button(
            'Look again',
            lookAgainAction,
            lookAgainValue.encode({ account, message, task: task.id }),
            {
              label: `Look again at the task of ${campaignTitle}`,
            },
          ),
        }
      : {}),
  });
}

/** Returns a task's rating, and who decided it if known. */
export function ratingText({ rating, decision }: Task): string {
  if (rating === 'NOTRATED' || rating === 'NOTREVIEWED') return `${ratingEmoji[rating]} Not rated yet`;
  const isOwn = decision?.state === 'applied' && decision.verdict === rating;
  return `${ratingEmoji[rating]} ${rating}${isOwn ? ` by ${user(decision.by)}` : ''}`;
}

function workerText({ worker }: Task): string {
  const name = worker.name ?? worker.id;
  return name === '' ? '' : ` · ${inline(name, 60)}`;
}
