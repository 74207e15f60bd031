import type { KnownBlock, ModalView } from '@slack/types';
import type { BulkRatingId, BulkResult } from '../../domain/bulk-rating.ts';
import { type BulkDecision, type BulkSelection, tickedItems } from '../../domain/bulk-selection.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { byIndex, picturesOnCard } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountId, TaskId, Verdict } from '../../domain/terms.ts';
import { actions, button, confirmView, context, input, modal, pageOf, section } from '../../slack/blocks.ts';
import { inline, preformatted } from '../../slack/mrkdwn.ts';
import { pictureBlocks } from '../../ui/proof.view.ts';
import { counted } from '../../ui/words.ts';
import { type CommentActions, commentBlocks, type OfferedReason } from '../decide/public.ts';
import { proofExcerpt, stateOf } from './page.view.ts';
import { ratingValue, resultText } from './progress.view.ts';

/** Action ids of the comment inputs. */
export const bulkCommentActions: CommentActions = {
  typed: 'bulk.comment.typed',
  choose: 'bulk.comment.reason',
};

const commentLabel = (verdict: Verdict) =>
  verdict === 'REVISE' ? 'What should be corrected?' : 'Reason for NOK';

/** A campaign's title, and how many of the tasks are of it. */
interface CountedCampaign {
  readonly title: string;
  readonly count: number;
}

/** Renders the form for the comment on all ticked tasks. */
export function decisionView(
  account: AccountId,
  selection: BulkSelection,
  shown: {
    readonly decision: BulkDecision;
    readonly campaigns: readonly CountedCampaign[];
    readonly reasons: readonly OfferedReason[];
    readonly problem?: string | undefined;
  },
): ModalView {
  const { decision, campaigns, reasons, problem } = shown;
  const { verdict, text, reason, filled } = decision;
  const count = counted(tickedItems(selection).length, 'task');
  return modal({
    callbackId: 'bulk.decision',
    title: 'Rate selected tasks',
    submit: 'Preview',
    close: 'Close',
    state: stateOf(account, selection),
    blocks: [
      section(`Rating *${count}* *${verdict}*: ${campaignsLine(campaigns)}`),
      // A chosen reason may not be in its input yet on submit, so the required check happens then.
      ...commentBlocks({
        label: commentLabel(verdict),
        isOptional: true,
        actions: bulkCommentActions,
        reasons,
        text,
        chosen: reason,
        filled,
        problem,
      }),
      context(`Required: each worker reads it. ${placeholdersText}`),
      actions(`bulk.back/${selection.step}`, [
        button('Back to the tasks', 'bulk.back', 'page'),
        button('A comment for each task…', 'bulk.each', 'each'),
      ]),
    ],
  });
}

const placeholdersText = '`{worker}`, `{campaign}` and `{asked}` are filled in for each task.';

function campaignsLine(campaigns: readonly CountedCampaign[]): string {
  const shown = campaigns.slice(0, 8).map(({ title, count }) => `${inline(title, 80)} (${count})`);
  const more = campaigns.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${counted(more, 'more campaign')}` : ''}`;
}

/** Returns the task of an input; undefined for other blocks. */
export function taskOfInput(blockId: string): string | undefined {
  return /^bulk\.item\/\d+\/(.+)$/.exec(blockId)?.[1];
}

/** Comments per page: a view is limited to 250 KB. */
export const commentsPerPage = 10;

/** Renders the form with one comment per task. */
export function commentsView(
  account: AccountId,
  selection: BulkSelection,
  { verdict }: Pick<BulkDecision, 'verdict'>,
  known: ReadonlyMap<TaskId, Task>,
): ModalView {
  const { step, texts } = selection;
  const { page, pages, here } = pageOf(tickedItems(selection), selection.page, commentsPerPage);
  return modal({
    callbackId: 'bulk.comments',
    title: 'A comment for each',
    submit: page < pages - 1 ? 'Next' : 'Preview',
    close: 'Close',
    state: stateOf(account, selection),
    blocks: [
      context(`Rating *${verdict}*. Page ${page + 1} of ${pages}. ${placeholdersText}`),
      ...here.flatMap(({ task: id }, index): KnownBlock[] => {
        const task = known.get(id);
        if (task === undefined) return [];
        const number = page * commentsPerPage + index + 1;
        const text = texts[id] ?? '';
        return [
          section(
            `*${number}.* ${inline(task.worker.name ?? task.worker.id, 60)}\n${proofExcerpt(task, 250)}`,
          ),
          ...pictureBlocks(task.proof.files, byIndex(task.pictures ?? []).slice(0, picturesOnCard)),
          input(
            `bulk.item/${step}/${id}`,
            `${commentLabel(verdict)} (task ${number})`,
            {
              type: 'plain_text_input',
              multiline: true,
              max_length: 3_000,
              dispatch_action_config: { trigger_actions_on: ['on_character_entered'] },
              ...(text === '' ? {} : { initial_value: text }),
            },
            { isOptional: true, dispatches: 'bulk.item.typed' },
          ),
        ];
      }),
      actions(`bulk.back/${step}`, [button('One comment for all', 'bulk.all', 'all')]),
    ],
  });
}

/** Error next to a blank comment on one task. */
export const commentMissing = 'Write a comment for this worker.';

/** A ticked task that is left out, and why. */
export interface LeftOut {
  readonly worker: string;
  readonly why: BulkResult;
}

interface PreviewData {
  readonly verdict: Verdict;
  readonly count: number;
  readonly campaigns: readonly CountedCampaign[];
  /** Total payment; absent if a payment is unknown. */
  readonly total?: Money | undefined;
  readonly workers: number;
  /** How many of the tasks look like others. */
  readonly alike?: number;
  /** Sample comments as their workers read them. */
  readonly comments: readonly { readonly worker: string; readonly text: string }[];
  readonly leftOut: readonly LeftOut[];
  readonly undoSeconds: number;
}

const maxLeftOut = 15;

/** Renders the preview of what a confirmation decides: the number of tasks, and the money. */
export function previewView(state: string, data: PreviewData): ModalView {
  const { verdict, count, campaigns, comments, total } = data;
  const frame = { callbackId: 'bulk.preview', title: 'Check and confirm', state };
  const omitted = leftOutBlocks(data);
  const back = button('Back to the tasks', 'bulk.back', 'page');
  if (count === 0) {
    const nothing = section('None of the selected tasks can be rated now.');
    return modal({ ...frame, blocks: [nothing, ...omitted, actions('bulk.back', [back])] });
  }
  const blocks = [
    section(question(data)),
    ...alikeWarning(data),
    section(campaignsLine(campaigns)),
    ...comments.map(({ worker, text }) =>
      section(`Comment for ${inline(worker, 60)}:\n${preformatted(text, 600)}`),
    ),
    ...omitted,
    context(undoText(data)),
  ];
  const cost = verdict === 'OK' && total !== undefined ? ` for ${formatMoney(total)}` : '';
  const confirm = { text: `Rate ${count} ${verdict}${cost}`, actionId: 'bulk.confirm', value: 'confirm' };
  return confirmView(frame, blocks, confirm, back);
}

function leftOutBlocks({ leftOut, verdict }: PreviewData): KnownBlock[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut
    .slice(0, maxLeftOut)
    .map((one) => leftOutLine(one, verdict))
    .join('\n');
  const more = leftOut.length > maxLeftOut ? `\n…and ${leftOut.length - maxLeftOut} more` : '';
  return [section(`:warning: *${counted(leftOut.length, 'selected task')} left out:*\n${lines}${more}`)];
}

function question({ verdict, count, total, workers }: PreviewData): string {
  const who = counted(workers, 'worker');
  const amount = total === undefined ? undefined : formatMoney(total);
  const unknown = 'The total isn’t known, because the payment per task isn’t.';
  if (verdict === 'OK')
    return `*Rate ${counted(count, 'task')} OK?*\n${amount === undefined ? unknown : `*${amount}* is paid to ${who}, fees not included.`}`;
  if (verdict === 'NOK')
    return `*Rate ${counted(count, 'task')} NOK?*\n${who} will not be paid${amount === undefined ? `. ${unknown}` : ` *${amount}*.`} Each worker reads the reason. Once sent, this cannot be undone.`;
  return `*Rate ${counted(count, 'task')} REVISE?*\nNothing is paid yet${amount === undefined ? '' : `: *${amount}* once all of them are corrected and rated OK`}. Your comment tells ${who} what to correct.`;
}

/** Warns of what looks copied, before it is paid. */
function alikeWarning({ verdict, count, alike = 0 }: PreviewData): KnownBlock[] {
  if (verdict !== 'OK' || alike === 0) return [];
  return [
    section(
      `:warning: *${alike} of ${count} ${alike === 1 ? 'looks' : 'look'} like others.* Choose “Back to the tasks” to see what they have in common.`,
    ),
  ];
}

function undoText({ undoSeconds }: PreviewData): string {
  return undoSeconds > 0
    ? `You can undo all of them for at least ${undoSeconds === 1 ? 'a second' : `${undoSeconds} seconds`}, before they’re sent.`
    : 'The ratings are sent at once and can’t be undone.';
}

function leftOutLine({ worker, why }: LeftOut, verdict: Verdict): string {
  return `• ${inline(worker, 60)}: ${resultText(why, verdict)}`;
}

/** Renders the view after confirmation: the work has begun, and where its progress is shown. */
export function confirmedView(
  account: AccountId,
  rating: BulkRatingId,
  { verdict, count, undoSeconds }: Pick<PreviewData, 'verdict' | 'count' | 'undoSeconds'>,
): ModalView {
  const value = ratingValue.encode({ account, rating });
  return modal({
    callbackId: 'bulk.confirmed',
    title: 'Confirmed',
    blocks: [
      section(`:hourglass_flowing_sand: Rating *${counted(count, 'task')}* *${verdict}*.`),
      context('Progress and results appear in your DM with Proofdesk. You can close this window.'),
      ...(undoSeconds > 0
        ? [actions('bulk.confirmed', [button('Undo all', 'bulk.undo', value, { style: 'danger' })])]
        : []),
    ],
  });
}

/** Renders the view of a selection that is no longer stored. */
export function expiredView(): ModalView {
  return modal({
    callbackId: 'bulk.expired',
    title: 'Select tasks',
    blocks: [
      section('This selection has timed out. Nothing was rated.'),
      context('Start again with “Select…” in the Home tab.'),
    ],
  });
}

/** Renders the view shown while tasks are being searched. */
export function loadingView(): ModalView {
  return modal({
    callbackId: 'bulk.loading',
    title: 'Select tasks',
    blocks: [section(':hourglass_flowing_sand: Loading tasks…')],
  });
}
