import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import {
  type BulkRating,
  BulkRatingId,
  type BulkResult,
  bulkResultKinds,
  isUndoable,
} from '../../domain/bulk-rating.ts';
import { chunksOf } from '../../domain/collections.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { AccountId, type TaskId, type Verdict } from '../../domain/terms.ts';
import { actions, button, context, type Message, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { date, inline, plain, user } from '../../slack/mrkdwn.ts';
import { counted, joined, number } from '../../ui/words.ts';
import { reviewedByMarketplace } from './page.view.ts';

/** Value of the button. */
export const ratingValue = codec(
  'button',
  z.object({ account: AccountId, rating: BulkRatingId }),
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

/** Maximum number of noteworthy tasks listed in the message. */
const maxListed = 30;

/** Renders the progress and the result of a bulk rating, in one message. */
export function bulkMessage(shown: ShownRating): Message {
  const text = headline(shown);
  const notes = noteworthy(shown.rating);
  const lines = notes.slice(0, maxListed).map((note) => resultLine(shown, note));
  const more = notes.length - lines.length;
  return {
    text: plain(text),
    blocks: [
      section(text),
      ...chunksOf(lines, 7).map((some) => section(some.join('\n'))),
      ...(more > 0 ? [context(`And ${number(more)} more.`)] : []),
      ...undoButton(shown),
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

interface Noteworthy {
  readonly task: TaskId;
  readonly result: BulkResult;
}

function noteworthy({ items, results }: BulkRating): Noteworthy[] {
  const plainKinds = new Set<BulkResult['kind']>(['applied', 'waiting', 'undone']);
  return items.flatMap(({ task }, index) => {
    const result = results[index];
    return result && !plainKinds.has(result.kind) ? [{ task, result }] : [];
  });
}

function resultLine({ rating, tasks }: ShownRating, { task: id, result }: Noteworthy): string {
  const task = tasks.get(id);
  const who = joined([inline(task?.worker ?? id, 40), inline(task?.campaign ?? '', 60)]);
  return `• ${who}: ${resultText(result, rating.verdict)}`;
}

/** Returns the result of one task, in mrkdwn. */
export function resultText(result: BulkResult, verdict: Verdict): string {
  const by = result.by === undefined ? 'somebody outside of Slack' : user(result.by);
  const said = result.why === undefined ? '' : ` ${inline(result.why, 200)}`;
  switch (result.kind) {
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
      return 'not rated because of an error: select it again';
  }
}

function undoButton({ account, rating: { id, state, results, revision } }: ShownRating): KnownBlock[] {
  if (state !== 'deciding' && !(state === 'sending' && results.some(isUndoable))) return [];
  const value = ratingValue.encode({ account, rating: id });
  return [actions(`bulk.rating/${revision}`, [button('Undo all', 'bulk.undo', value, { style: 'danger' })])];
}
