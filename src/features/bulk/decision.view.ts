import type { KnownBlock, ModalView } from '@slack/types';
import type { BulkDecision } from '../../domain/bulk-selection.ts';
import type { Task } from '../../domain/task.ts';
import { type TaskId, type Verdict, verdicts } from '../../domain/terms.ts';
import type { OfferedReason } from '../../kit/reasons.ts';
import { actions, button, context, input, modal, option, plainText, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { type CommentActions, commentBlocks } from '../../ui/comment-input.view.ts';
import { type SelectionState, selectionState } from './button-values.ts';
import { backToPage } from './filter.view.ts';
import { proofExcerpt } from './page.view.ts';
import { counted } from './wording.ts';

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

/** Renders the form for the rating of all ticked tasks, and its comment. */
export function decisionView(
  state: SelectionState,
  {
    count,
    campaigns,
    decision,
    reasons,
    problem,
  }: {
    readonly count: number;
    /** Campaign titles with the number of ticked tasks in each. */
    readonly campaigns: readonly { readonly title: string; readonly count: number }[];
    readonly decision?: BulkDecision | undefined;
    readonly reasons: readonly OfferedReason[];
    readonly problem?: string | undefined;
  },
): ModalView {
  const options = verdicts.map((verdict) => option(verdictOptions[verdict], verdict));
  const initial = options.find(({ value }) => value === decision?.verdict);
  return modal({
    callbackId: 'bulk.decision',
    title: 'Decide together',
    submit: 'Preview',
    close: 'Close',
    state: selectionState.encode(state),
    blocks: [
      section(`*${counted(count, 'task')} selected*: ${campaignsLine(campaigns)}`),
      input(
        verdictInput,
        'Rating',
        { type: 'radio_buttons', options, ...(initial ? { initial_option: initial } : {}) },
        { dispatches: 'bulk.verdict' },
      ),
      ...(decision === undefined ? [] : commentInputs(decision, reasons, problem)),
      backToPage(state.step),
    ],
  });
}

/** Returns the campaigns of several tasks, with the number of tasks in each. */
export function campaignsLine(
  campaigns: readonly { readonly title: string; readonly count: number }[],
): string {
  const shown = campaigns.slice(0, 8).map(({ title, count }) => `${inline(title, 80)} (${count})`);
  const more = campaigns.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more campaigns` : ''}`;
}

function commentInputs(
  { verdict, isEach, text, reason, filled }: BulkDecision,
  reasons: readonly OfferedReason[],
  problem: string | undefined,
): KnownBlock[] {
  const isOptional = verdict === 'OK';
  return [
    input(
      scopeInput,
      'Comment',
      { type: 'radio_buttons', options: [same, each], initial_option: isEach ? each : same },
      { dispatches: 'bulk.scope' },
    ),
    ...(isEach
      ? [context('You fill them in next, 10 at a time.')]
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
            `${isOptional ? '' : 'Needed: each worker reads it. '}\`{worker}\`, \`{campaign}\`, \`{asked}\` and \`{deadline}\` are filled in for each task.`,
          ),
        ]),
  ];
}

/** Block id prefix of the comment input for one task. */
/** Action id of the select of saved reasons beside a comment. */
export const itemReason = 'bulk.item.reason';

const itemPrefix = 'bulk.item';
const itemBlock = (step: number, task: TaskId) => `${itemPrefix}/${step}/${task}`;

/** Returns the task of an input; undefined for other blocks. */
export function taskOfInput(blockId: string): string | undefined {
  const [prefix, , ...task] = blockId.split('/');
  return prefix === itemPrefix && task.length > 0 ? task.join('/') : undefined;
}

/** Comments per page: a view is limited to 250 KB. */
export const commentsPerPage = 10;

/** A task that needs a comment. */
interface CommentedTask {
  readonly number: number;
  readonly task: Task;
  readonly text: string;
  /** Why the chosen reason was not filled in. */
  readonly problem?: string | undefined;
}

/** Renders the form with one comment per task. */
export function commentsView(
  state: SelectionState,
  {
    verdict,
    rows,
    page,
    pages,
    hasReasons,
  }: {
    readonly verdict: Verdict;
    readonly rows: readonly CommentedTask[];
    readonly page: number;
    readonly pages: number;
    /** Whether there are saved reasons to choose from. */
    readonly hasReasons: boolean;
  },
): ModalView {
  return modal({
    callbackId: 'bulk.comments',
    title: 'A comment for each',
    submit: page < pages - 1 ? 'Next page' : 'Preview',
    close: 'Close',
    state: selectionState.encode(state),
    blocks: [
      context(
        `Rating *${verdict}*. Page ${page + 1} of ${pages}. \`{worker}\`, \`{campaign}\`, \`{asked}\` and \`{deadline}\` are filled in.`,
      ),
      ...rows.flatMap(({ number, task, text, problem }): KnownBlock[] => [
        section(
          `*${number}.* ${inline(task.worker.name ?? task.worker.id, 60)}\n${proofExcerpt(task, 250)}`,
          !hasReasons
            ? {}
            : {
                block_id: `bulk.reason/${state.step}/${task.id}`,
                accessory: {
                  type: 'external_select',
                  action_id: itemReason,
                  placeholder: plainText('Saved reasons'),
                  min_query_length: 0,
                },
              },
        ),
        ...(problem === undefined ? [] : [context(problem)]),
        input(
          itemBlock(state.step, task.id),
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
      ]),
      actions(`bulk.back/${state.step}`, [button('Back', 'bulk.edit', 'decision')]),
    ],
  });
}

/** Error next to a blank comment on one task. */
export const commentMissing = 'Write what this worker reads, or choose a saved reason.';
