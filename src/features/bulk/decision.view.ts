import type { KnownBlock, ModalView } from '@slack/types';
import type { BulkRatingId, BulkResult } from '../../domain/bulk-rating.ts';
import { type BulkDecision, type BulkSelection, tickedItems } from '../../domain/bulk-selection.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { byIndex, picturesOnCard } from '../../domain/picture.ts';
import type { Task } from '../../domain/task.ts';
import { type AccountId, type TaskId, type Verdict, verdicts } from '../../domain/terms.ts';
import type { OfferedReason } from '../../kit/reasons.ts';
import {
  actions,
  button,
  context,
  input,
  modal,
  option,
  pageOf,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { inline, preformatted } from '../../slack/mrkdwn.ts';
import { type CommentActions, commentBlocks } from '../../ui/comment-input.view.ts';
import { confirmView } from '../../ui/draft-form.view.ts';
import { pictureBlocks } from '../../ui/proof.view.ts';
import { counted } from '../../ui/words.ts';
import { backToPage, proofExcerpt, stateOf } from './page.view.ts';
import { ratingValue, resultText } from './progress.view.ts';

/** Action ids of the comment inputs. */
export const bulkCommentActions: CommentActions = {
  typed: 'bulk.comment.typed',
  choose: 'bulk.comment.reason',
};

export const verdictInput = 'verdict';
export const scopeInput = 'scope';
const verdictOptions: Readonly<Record<Verdict, string>> = {
  OK: 'OK: the workers are paid',
  REVISE: 'REVISE: the workers can submit a correction',
  NOK: 'NOK: the workers are not paid',
};
const same = option('One comment for all', 'same');
const each = option('A comment for each task', 'each');

const commentLabels: Readonly<Record<Verdict, string>> = {
  OK: 'Comment for the workers',
  REVISE: 'What should be corrected?',
  NOK: 'Reason for NOK',
};

/** A campaign's title, and how many of the tasks are of it. `total`: what they are paid, if that is known. */
interface CountedCampaign {
  readonly title: string;
  readonly count: number;
  readonly total?: Money | undefined;
}

/** Renders the form for the rating of all ticked tasks, and its comment. */
export function decisionView(
  account: AccountId,
  selection: BulkSelection,
  shown: {
    readonly campaigns: readonly CountedCampaign[];
    readonly reasons: readonly OfferedReason[];
    readonly problem?: string | undefined;
  },
): ModalView {
  const { campaigns, reasons, problem } = shown;
  const { decision } = selection;
  const options = verdicts.map((verdict) => option(verdictOptions[verdict], verdict));
  const initial = options.find(({ value }) => value === decision?.verdict);
  return modal({
    callbackId: 'bulk.decision',
    title: 'Rate selected tasks',
    submit: 'Preview',
    close: 'Close',
    state: stateOf(account, selection),
    blocks: [
      section(`*${counted(tickedItems(selection).length, 'task')} selected*: ${campaignsLine(campaigns)}`),
      input(
        verdictInput,
        'Rating',
        { type: 'radio_buttons', options, ...(initial ? { initial_option: initial } : {}) },
        { dispatches: 'bulk.verdict' },
      ),
      ...(decision === undefined ? [] : commentInputs(decision, reasons, problem)),
      backToPage(selection),
    ],
  });
}

function campaignsLine(campaigns: readonly CountedCampaign[]): string {
  const shown = campaigns.slice(0, 8).map(({ title, count }) => `${inline(title, 80)} (${count})`);
  const more = campaigns.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more campaigns` : ''}`;
}

function commentInputs(
  { verdict, isEach, text, reason, filled }: BulkDecision,
  reasons: readonly OfferedReason[],
  problem: string | undefined,
): KnownBlock[] {
  return [
    input(
      scopeInput,
      'Comment',
      { type: 'radio_buttons', options: [same, each], initial_option: isEach ? each : same },
      { dispatches: 'bulk.scope' },
    ),
    ...(isEach
      ? [context('You write them next, 10 at a time.')]
      : [
          // A chosen reason may not be in its input yet on submit, so the required check happens then.
          ...commentBlocks({
            label: commentLabels[verdict],
            isOptional: true,
            actions: bulkCommentActions,
            reasons,
            text,
            chosen: reason,
            filled,
            problem,
          }),
          context(
            `${verdict === 'OK' ? '' : 'Required: each worker reads it. '}\`{worker}\`, \`{campaign}\`, \`{asked}\` and \`{deadline}\` are filled in for each task.`,
          ),
        ]),
  ];
}

/** Block id prefix of the comment input for one task. */
const itemPrefix = 'bulk.item';

/** Returns the task of an input; undefined for other blocks. */
export function taskOfInput(blockId: string): string | undefined {
  const [prefix, , ...task] = blockId.split('/');
  return prefix === itemPrefix && task.length > 0 ? task.join('/') : undefined;
}

/** Comments per page: a view is limited to 250 KB. */
export const commentsPerPage = 10;

/**
 * Renders the form with one comment per task.
 * @param shown.problem why the chosen reason was not filled in for `task`
 */
export function commentsView(
  account: AccountId,
  selection: BulkSelection,
  shown: {
    readonly known: ReadonlyMap<TaskId, Task>;
    /** Whether there are saved reasons to choose from. */
    readonly hasReasons: boolean;
    readonly problem?: string | undefined;
    readonly task?: string | undefined;
  },
): ModalView {
  const { known, hasReasons, problem } = shown;
  const { step, texts, decision: { verdict } = { verdict: 'OK' } } = selection;
  const { page, pages, here } = pageOf(tickedItems(selection), selection.page, commentsPerPage);
  return modal({
    callbackId: 'bulk.comments',
    title: 'A comment for each',
    submit: page < pages - 1 ? 'Next' : 'Preview',
    close: 'Close',
    state: stateOf(account, selection),
    blocks: [
      context(
        `Rating *${verdict}*. Page ${page + 1} of ${pages}. \`{worker}\`, \`{campaign}\`, \`{asked}\` and \`{deadline}\` are filled in.`,
      ),
      ...here.flatMap(({ task: id }, index): KnownBlock[] => {
        const task = known.get(id);
        if (task === undefined) return [];
        const number = page * commentsPerPage + index + 1;
        const text = texts[id] ?? '';
        const reasons = {
          block_id: `bulk.reason/${step}/${id}`,
          accessory: {
            type: 'external_select' as const,
            action_id: 'bulk.item.reason',
            placeholder: plainText('Saved reasons'),
            min_query_length: 0,
          },
        };
        return [
          section(
            `*${number}.* ${inline(task.worker.name ?? task.worker.id, 60)}\n${proofExcerpt(task, 250)}`,
            hasReasons ? reasons : {},
          ),
          ...pictureBlocks(task.proof.files, byIndex(task.pictures ?? []).slice(0, picturesOnCard)),
          ...(problem === undefined || id !== shown.task ? [] : [context(problem)]),
          input(
            `${itemPrefix}/${step}/${id}`,
            `${commentLabels[verdict]} (task ${number})`,
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
      actions(`bulk.back/${step}`, [button('Back', 'bulk.edit', 'decision')]),
    ],
  });
}

/** Error next to a blank comment on one task. */
export const commentMissing = 'Write a comment for this worker, or choose a saved reason.';

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
  const back = [
    button('Back to the rating', 'bulk.edit', 'decision'),
    button('Back to the tasks', 'bulk.back', 'page'),
  ];
  if (count === 0) {
    const nothing = section('None of the selected tasks can be rated now.');
    return modal({ ...frame, blocks: [nothing, ...omitted, actions('bulk.back', back)] });
  }
  const blocks = [
    section(question(data)),
    ...alikeWarning(data),
    section(
      campaigns.length === 1
        ? campaignsLine(campaigns)
        : campaigns
            .slice(0, 10)
            .map(
              ({ title, count: of, total }) =>
                `• ${inline(title, 80)}: ${counted(of, 'task')}${total === undefined ? '' : `, ${formatMoney(total)}`}`,
            )
            .join('\n') +
            (campaigns.length > 10 ? `\n…and ${counted(campaigns.length - 10, 'more campaign')}` : ''),
    ),
    ...comments.map(({ worker, text }) =>
      section(`Comment for ${inline(worker, 60)}:\n${preformatted(text, 600)}`),
    ),
    ...omitted,
    context(undoText(data)),
  ];
  const cost = verdict === 'OK' && total !== undefined ? ` for ${formatMoney(total)}` : '';
  const confirm = { text: `Rate ${count} ${verdict}${cost}`, actionId: 'bulk.confirm', value: 'confirm' };
  return confirmView(frame, blocks, confirm, ...back);
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
  const who = `• ${inline(worker, 60)}:`;
  if (why.kind === 'too long')
    return `${who} the comment is too long with its placeholders filled in: shorten it`;
  return `${who} ${resultText(why, verdict)}`;
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
