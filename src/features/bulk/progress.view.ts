import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  type BulkRating,
  BulkRatingId,
  type BulkResult,
  bulkResultKinds,
  isUndoable,
  mayRetry,
} from '../../domain/bulk-rating.ts';
import { chunksOf } from '../../domain/collections.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { AccountId, type TaskId, type Verdict } from '../../domain/terms.ts';
import { actions, button, confirmation, context, type Message, modal, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { date, dateAtStart, inline, plain, user } from '../../slack/mrkdwn.ts';
import { counted, joined, number } from '../../ui/words.ts';
import { reviewedByMarketplace } from './page.view.ts';

/** Value of these buttons; the run number makes a retry idempotent. */
export const ratingValue = codec(
  'button',
  z.object({ account: AccountId, rating: BulkRatingId, run: z.number() }),
  'Select the tasks again.',
);

/** Displayed data of a task: who submitted it, in which campaign. */
export interface RatedTask {
  readonly worker: string;
  readonly campaign: string;
}

export interface ShownRating {
  readonly account: AccountId;
  readonly rating: BulkRating;
  readonly tasks: ReadonlyMap<TaskId, RatedTask>;
  /** Total payment of the accepted tasks, if all of their campaigns are known. */
  readonly paid?: Money | undefined;
  /** When the first decision is sent (ms), while all can be undone. */
  readonly sentAt?: number | undefined;
}

/** Maximum number of noteworthy tasks listed in the message; all results are one click away. */
const maxListed = 20;

/** Renders the progress and the result of a bulk rating, in one message. */
export function bulkMessage(shown: ShownRating): Message {
  const text = headline(shown);
  const notes = noteworthy(shown.rating);
  const lines = notes.slice(0, maxListed).map((index) => resultLine(shown, index));
  const more = notes.length - lines.length;
  return {
    text: plain(text),
    blocks: [
      section(text),
      ...chunksOf(lines, 7).map((some) => section(some.join('\n'))),
      ...(more > 0 ? [context(`And ${number(more)} more: see all results.`)] : []),
      ...buttons(shown),
    ],
  };
}

function headline({ rating, paid, sentAt }: ShownRating): string {
  const { state, verdict, items, results } = rating;
  const count = (...kinds: readonly BulkResult['kind'][]) =>
    results.filter((result) => result && kinds.includes(result.kind)).length;
  const done = count(...bulkResultKinds);
  if (state === 'deciding')
    return `:hourglass_flowing_sand: Rating *${verdict}*: ${number(done)} of ${number(items.length)}…`;
  if (state === 'undoing')
    return `:hourglass_flowing_sand: Undoing *${verdict}* for ${counted(items.length, 'task')}…`;
  const [applied, waiting, undone] = [count('applied'), count('waiting', 'held'), count('undone')];
  const others = done - applied - waiting - undone;
  const summary = joined([
    applied > 0 ? `*${counted(applied, 'task')}* rated *${verdict}*` : '',
    waiting > 0 ? `*${counted(waiting, 'task')}* waiting to be sent as *${verdict}*` : '',
    undone > 0 ? `${number(undone)} undone` : '',
    others > 0 ? `${number(others)} not rated *${verdict}*` : '',
  ]);
  if (state === 'sending') {
    const when =
      sentAt === undefined ? '' : ` ${waiting === 1 ? 'It’ll' : 'They’ll'} be sent ${date(sentAt)}.`;
    return `:hourglass_flowing_sand: ${summary}.${when}`;
  }
  const money =
    paid === undefined || applied === 0 || verdict !== 'OK' ? '' : ` ${formatMoney(paid)} is paid.`;
  return `${others === 0 ? ':white_check_mark:' : ':warning:'} ${summary}.${money}`;
}

/** Returns the indexes of the noteworthy tasks. */
function noteworthy({ results }: BulkRating): number[] {
  const plainKinds = new Set<BulkResult['kind']>(['applied', 'waiting', 'undone']);
  return results.flatMap((result, index) => (result && !plainKinds.has(result.kind) ? [index] : []));
}

function resultLine({ rating, tasks }: ShownRating, index: number): string {
  const item = rating.items[index];
  const task = item && tasks.get(item.task);
  const who = task
    ? `${inline(task.worker, 40)} · ${inline(task.campaign, 60)}`
    : inline(item?.task ?? '', 40);
  return `• ${who}: ${resultText(rating.results[index] ?? null, rating.verdict)}`;
}

/** Returns the result of one task, in mrkdwn. */
export function resultText(result: BulkResult | null, verdict: Verdict): string {
  const by = result?.by === undefined ? 'somebody outside of Slack' : user(result.by);
  const said = result?.why === undefined ? '' : ` ${inline(result.why, 200)}`;
  switch (result?.kind) {
    case undefined:
      return 'not rated yet';
    case 'waiting':
      return `${verdict}, not sent yet`;
    case 'held':
      return `${verdict}, on hold: it will be sent later.${said}`;
    case 'applied':
      return verdict;
    case 'refused':
      return `the marketplace rejected ${verdict}.${said}`;
    case 'overtaken':
      return `not sent: it already had the rating *${result.rating ?? ''}*`;
    case 'undone':
      return 'undone';
    case 'decided':
      if (result.rating === 'NOTREVIEWED') return reviewedByMarketplace;
      return `already rated *${result.rating ?? ''}* by ${by}`;
    case 'returned':
      return 'the worker resubmitted it after you looked at it';
    case 'reviewed':
      return `${by} is reviewing it`;
    case 'barred':
      return 'you can no longer rate for this account';
    case 'too long':
      return 'the comment is too long with its placeholders filled in: rate it on its card';
    case 'unknown':
      return 'it is no longer stored here';
    case 'failed':
      return 'not rated because of an error: try again';
  }
}

function buttons({ account, rating }: ShownRating): KnownBlock[] {
  const value = ratingValue.encode({ account, rating: rating.id, run: rating.run });
  const failed = rating.results.filter(mayRetry).length;
  const mayUndo =
    rating.state === 'deciding' || (rating.state === 'sending' && rating.results.some(isUndoable));
  const shown = [
    ...(mayUndo ? [button('Undo all', 'bulk.undo', value, { style: 'danger' })] : []),
    ...(rating.state === 'done' && failed > 0
      ? [
          button(failed === 1 ? 'Try this one again' : `Try these ${failed} again`, 'bulk.retry', value, {
            confirm: retryQuestion(rating.verdict, failed),
          }),
        ]
      : []),
    ...(rating.state === 'deciding' ? [] : [button('All results', 'bulk.results', value)]),
  ];
  return shown.length === 0 ? [] : [actions(`bulk.rating/${rating.revision}`, shown)];
}

const retryEffects: Readonly<Record<Verdict, string>> = {
  OK: 'The workers are paid.',
  NOK: 'The workers are not paid and read the same reason. Once sent, this cannot be undone.',
  REVISE: 'The workers read the same comments and can submit a correction.',
};

function retryQuestion(verdict: Verdict, count: number) {
  return confirmation({
    title: `Rate ${counted(count, 'task')} ${verdict}?`,
    text: retryEffects[verdict],
    confirm: 'Try again',
    deny: 'Cancel',
  });
}

/** Renders the result of every task. @param outcome of the last action, in mrkdwn */
export function bulkResultsView(shown: ShownRating, outcome?: string): ModalView {
  const { rating } = shown;
  const lines = rating.items.map((_, index) => resultLine(shown, index));
  return modal({
    callbackId: 'bulk.results',
    title: 'All results',
    blocks: [
      ...(outcome === undefined ? [] : [section(outcome)]),
      section(headline(shown)),
      context(`Confirmed by ${user(rating.member)}. ${dateAtStart(rating.at)}`),
      ...chunksOf(lines, 7).map((some) => section(some.join('\n'))),
    ],
  });
}
