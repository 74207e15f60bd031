import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Asked } from '../../domain/campaign.ts';
import { bonusRange, formatMoney, type Money } from '../../domain/money.ts';
import { filesOnCard } from '../../domain/picture.ts';
import { bonusTotal } from '../../domain/spending.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import { AccountId, ChannelId, TaskId, verdicts } from '../../domain/terms.ts';
import {
  context,
  input,
  type Message,
  modal,
  notice,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { inline, user } from '../../slack/mrkdwn.ts';
import { askedBlocks, instructionsBlocks, instructionsShown, pictureBlocks } from '../../ui/proof.view.ts';
import { assignmentText, goneText, oldRound, taskRemoved, tooLate, withOwnText } from '../../ui/task.view.ts';
import { campaignName } from '../../ui/words.ts';
import { bonusCost } from '../people/public.ts';
import { type CommentActions, type CommentInput, commentBlocks } from './comment.view.ts';
import type { FormOutcome } from './comment-form.ts';
import type { Decided, Others, UndoOutcome } from './decisions.ts';

/** A requested decision: stored in a modal, or in a Connect button until the member is connected. */
const Intent = z.object({
  account: AccountId,
  task: TaskId,
  round: z.number(),
  verdict: z.enum(verdicts),
  /** Whether the modal for bonus and favorite was requested. */
  extras: z.boolean().optional(),
  /** The cost that the form says, and since when (ms). */
  shown: z.object({ cost: z.string(), at: z.number() }).optional(),
  /** Part of a quick series by one person; the series is sent together. */
  isOfMany: z.boolean().optional(),
  /** When its form was opened (ms); identifies the form's stored draft text. */
  form: z.number().optional(),
  /** How often a saved reason was filled in, and the last one. */
  filled: z.number().optional(),
  reason: z.string().optional(),
  /** Where the card is, for answers. */
  channel: ChannelId.optional(),
  ts: z.string().optional(),
});
export type Intent = z.infer<typeof Intent>;

export const intents = codec('form', Intent, 'Start again from the card.');

const reasonWords = {
  NOK: {
    title: 'Rate NOK',
    submit: 'Rate NOK',
    label: 'Reason for NOK',
    effect: 'The worker is not paid and reads this reason.',
  },
  REVISE: {
    title: 'Request a revision',
    submit: 'Request revision',
    label: 'What should be corrected?',
    effect: 'The worker reads this and can submit a correction.',
  },
} as const;

/** State of the comment inputs, see {@link CommentInput}. */
export type ShownComment = Omit<CommentInput, 'label' | 'isOptional' | 'actions'>;

/** Action ids of the comment inputs. */
export const commentActions: CommentActions = { typed: 'task.comment.typed', choose: 'task.comment.reason' };

/** Returns the modal that asks for the reason of a NOK or REVISE, below the request and the submission. */
export function reasonModal(
  intent: Intent,
  task: Task,
  campaignTitle: string,
  shown: ShownComment & { readonly asked?: Asked | undefined; readonly others?: Others | undefined },
): ModalView {
  const { asked, others, ...comment } = shown;
  const words = reasonWords[intent.verdict === 'NOK' ? 'NOK' : 'REVISE'];
  return modal({
    callbackId: 'task.reason',
    title: words.title,
    submit: words.submit,
    state: intents.encode(intent),
    blocks: [
      section(aboutTask(task, campaignTitle)),
      ...othersBlocks(others),
      ...(asked ? instructionsBlocks(asked, instructionsShown) : []),
      ...askedBlocks(asked, task),
      ...pictureBlocks(task.proof.files, filesOnCard(task).shown),
      ...commentBlocks({ ...comment, label: words.label, actions: commentActions }),
      context(words.effect),
    ],
  });
}

/** Values already filled in, the amount of the bonus, and its cost, which the form then says. */
export interface FilledExtras {
  readonly bonus: string;
  readonly favorite: string;
  readonly amount: Money;
  readonly shown: Intent['shown'];
}

const favorites = [
  option('No change', 'none'),
  option('Add this worker', 'add'),
  option('Remove this worker', 'remove'),
];

/** Returns the modal for an OK with a bonus, a favorite mark or a comment for the worker. */
export function extrasModal(
  intent: Intent,
  task: Task,
  campaignTitle: string,
  shown: {
    readonly payment: Money | undefined;
    readonly asked?: Asked | undefined;
    readonly comment: ShownComment;
    readonly filled?: FilledExtras | undefined;
    readonly others?: Others | undefined;
  },
): ModalView {
  const { payment, asked, comment, filled, others } = shown;
  const range = payment && bonusRange(payment);
  const hint = range
    ? `From ${formatMoney(range.min)} to ${formatMoney(range.max)}. Leave empty for no bonus.`
    : 'Leave empty for no bonus.';
  return modal({
    callbackId: 'task.extras',
    title: 'OK with extras',
    submit: filled ? submitLabel(filled.amount, payment) : 'Rate OK',
    state: intents.encode(intent),
    blocks: [
      section(aboutTask(task, campaignTitle)),
      ...othersBlocks(others),
      ...askedBlocks(asked, task),
      ...pictureBlocks(task.proof.files, filesOnCard(task).shown),
      input(
        'bonus',
        'Bonus',
        {
          type: 'plain_text_input',
          placeholder: plainText('0.05'),
          // In a single-line input, Enter submits the form, which would pay by mistake.
          multiline: true,
          ...(filled ? { initial_value: filled.bonus } : {}),
        },
        { hint, isOptional: true },
      ),
      input(
        'favorite',
        'Favorite workers',
        {
          type: 'radio_buttons',
          options: favorites,
          initial_option:
            favorites.find(({ value }) => value === filled?.favorite) ?? option('No change', 'none'),
        },
        { isOptional: true },
      ),
      ...commentBlocks({
        ...comment,
        label: 'Comment for the worker',
        isOptional: true,
        actions: commentActions,
      }),
      ...(filled
        ? [section(`This task costs: ${bonusCost(filled.amount.toFixed(), payment?.toFixed())}.`)]
        : []),
    ],
  });
}

function submitLabel(bonus: Money, payment: Money | undefined): string {
  if (payment === undefined) return `Rate OK, bonus ${formatMoney(bonus)}`;
  return `Rate OK for ${formatMoney(bonusTotal(payment, bonus))}`;
}

/** Returns a note on who else has the task, shown before anything is typed. */
function othersBlocks(others: Others | undefined): KnownBlock[] {
  return others === undefined ? [] : [context(othersText(others))];
}

function aboutTask(task: Task, campaignTitle: string): string {
  return `*${campaignName(campaignTitle, task.campaign)}*\nWorker ${inline(task.worker.name ?? task.worker.id, 60)}`;
}

/** Returns the error for a bonus out of range. */
export function bonusProblem(payment: Money): string {
  const { min, max } = bonusRange(payment);
  return `Enter a bonus from ${formatMoney(min)} to ${formatMoney(max)}, or leave it empty.`;
}

/** Returns the text for a task rated OK with an approved bonus. */
export function bonusDecided(bonus: Money): string {
  return `The task was rated *OK* with a bonus of ${formatMoney(bonus)}. Its card shows when it is sent.`;
}

/** Returns why an approved bonus is not paid: the task has changed. */
export function decidedMeanwhile({ decision }: Task): string {
  const isDecided = decision !== undefined && decision.state !== 'overtaken';
  const what = isDecided
    ? `${user(decision.by)} rated the task *${decision.verdict}*`
    : 'The task has changed';
  return `${what} in the meantime, so no bonus was paid.`;
}

export const taskGone = 'Proofdesk can’t find the task any more, so no bonus was paid.';

/** Returns what somebody is told about their decision; undefined where the card or the next view says it all. */
export function answerOf(outcome: FormOutcome): Message | undefined {
  switch (outcome.kind) {
    case 'decided':
      return outcome.others && hadByOthers(outcome, outcome.others);
    case 'missed': {
      const { member, wanted, round, lost, text = '' } = outcome;
      if (lost === undefined) return withOwnText(notice(goneText), text);
      return withOwnText(lost.task.round === round ? tooLate(lost, member, wanted) : oldRound(lost), text);
    }
    case 'asked':
    case 'refused':
      return notice(outcome.sentence);
    default:
      return undefined;
  }
}

/** Returns who else has a task, in mrkdwn. */
function othersText({ assignment, looking }: Others): string {
  return [
    ...(assignment ? [`${assignmentText(assignment)}.`] : []),
    ...(looking ? [`${user(looking)} is reviewing this task right now.`] : []),
  ].join(' ');
}

/** Returns the notice to the decider that somebody else has the task. */
function hadByOthers({ task, decision }: Decided, others: NonNullable<Decided['others']>): Message {
  const worker = inline(task.worker.name ?? task.worker.id, 60);
  // It waits before it is sent.
  const canUndo = (decision.dueAt ?? 0) > decision.at;
  const undo = canUndo ? ' To leave the task to them, undo it.' : '';
  return notice(
    `*${inline(others.title)}* · Worker ${worker}\n${othersText(others)} Your *${decision.verdict}* still counts.${undo}`,
  );
}

/** Returns what somebody is told about their undo; undefined where the task says it all. */
export function undoAnswer(outcome: UndoOutcome): Message | undefined {
  if (outcome.kind === 'gone') return notice(taskRemoved);
  return outcome.kind === 'too late' ? cannotUndo(outcome.task) : undefined;
}

function cannotUndo(task: Task): Message {
  const { decision, rating, worker } = task;
  const who = inline(worker.name ?? worker.id, 60);
  if (isOpen(task)) return notice(`Nothing to undo: ${who}’s task is open.`);
  const rated = rating === 'NOTRATED' ? `being rated *${decision?.verdict}*` : `rated *${rating}*`;
  return notice(`Too late to undo: ${who}’s task is ${rated}.`);
}

/** Why a decision is held; shown on its card, which says that it is sent later. */
export const noAnswer = 'The marketplace is not answering right now.';
export const asksForPause = 'The marketplace is limiting requests.';
export const makerBarred =
  'This person can no longer rate for this account. A manager can undo it so that somebody else rates; an owner can give the role back.';
/** As makerBarred, where a bonus that nobody had to approve may have been the reason. */
export const payerBarred =
  'This person can no longer pay this bonus. A manager can undo it so that somebody else rates; an owner can give the role back.';
export const noKey = 'This account has no usable API key. Anyone who has one can type /proofdesk connect.';
