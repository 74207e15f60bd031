import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Decision } from '../../domain/task.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { date, dateAtStart, inline, user } from '../../slack/mrkdwn.ts';
import { pageButtons } from '../../slack/paging.ts';
import { ratingEmoji } from '../../ui/words.ts';

/** Action id of Undo, and the prefix of the paging action ids, followed by `.previous` or `.next`. */
export const undoAction = 'home.undo';
export const decisionPageAction = 'home.decisions';

/** Value of an Undo button. */
export const undoValue = codec(
  'button',
  z.object({ account: AccountId, task: TaskId, decision: z.string() }),
  'Open Home again.',
);

/** The outcome of a decision. Times are milliseconds since 1970. */
export type DecisionOutcome =
  | { readonly kind: 'decision'; readonly decision: Decision; readonly canUndo: boolean }
  | { readonly kind: 'undone'; readonly by?: MemberId | undefined }
  /** The task has been resubmitted since. */
  | { readonly kind: 'returned' }
  /** Nothing is stored of the task any more, or another decision replaced this one. */
  | { readonly kind: 'gone' };

/** One of a member's last decisions. */
export interface DecisionRow {
  readonly account: AccountId;
  readonly task: TaskId;
  readonly id: string;
  readonly at: number;
  readonly campaignTitle: string;
  /** Absent once it was removed. */
  readonly worker?: string | undefined;
  readonly outcome: DecisionOutcome;
}

/** A page of a member's last decisions. */
export interface DecisionPage {
  readonly rows: readonly DecisionRow[];
  /** The current page, from 0, and the number of pages. */
  readonly page: number;
  readonly pages: number;
  /** The answer to an Undo just pressed. */
  readonly said?: readonly KnownBlock[];
}

/** Renders a member's last decisions with their outcomes, and Undo where possible. */
export function decisionBlocks({ rows, page, pages, said = [] }: DecisionPage): KnownBlock[] {
  if (rows.length === 0) return [];
  return [
    { type: 'divider' },
    section('*Your last decisions*'),
    ...said,
    ...rows.map(rowSection),
    ...pageButtons({ blockId: decisionPageAction, actionId: decisionPageAction, page, pages }),
  ];
}

function rowSection(row: DecisionRow): KnownBlock {
  const { account, task, id, at, campaignTitle, worker, outcome } = row;
  const about = [inline(campaignTitle, 60), ...(worker === undefined ? [] : [inline(worker, 40)])].join(
    ' · ',
  );
  const { emoji, verdict, came } = wording(outcome);
  const text = `${emoji} ${verdict === undefined ? '' : `*${verdict}* · `}${about}\n${dateAtStart(at)} · ${came}`;
  if (!('canUndo' in outcome) || !outcome.canUndo) return context(text);
  return section(text, {
    accessory: button('Undo', undoAction, undoValue.encode({ account, task, decision: id }), {
      label: `Undo ${verdict}, ${campaignTitle}`,
    }),
  });
}

/** Returns the display of an outcome: emoji, verdict and result. */
function wording(outcome: DecisionOutcome): { emoji: string; verdict?: string; came: string } {
  switch (outcome.kind) {
    case 'undone':
      return {
        emoji: ':leftwards_arrow_with_hook:',
        came: outcome.by === undefined ? 'Undone.' : `Undone by ${user(outcome.by)}.`,
      };
    case 'returned':
      return { emoji: ratingEmoji.REVISE, came: 'The worker has submitted the task again since.' };
    case 'gone':
      return { emoji: ':grey_question:', came: 'The task has changed since. Its card says how.' };
    case 'decision':
      return { ...decisionWording(outcome.decision), verdict: outcome.decision.verdict };
  }
}

function decisionWording({ state, verdict, dueAt, problem }: Decision): { emoji: string; came: string } {
  const why = problem === undefined ? '' : ` ${inline(problem.text, 300)}`;
  switch (state) {
    case 'waiting':
      return {
        emoji: ':hourglass_flowing_sand:',
        came:
          dueAt === undefined ? 'Waits to be sent.' : `Will be sent at ${date(dueAt, '\u200b{time_secs}')}.`,
      };
    case 'sending':
      return { emoji: ':hourglass_flowing_sand:', came: 'On its way to the marketplace.' };
    case 'held':
      return { emoji: ':double_vertical_bar:', came: `Held.${why}` };
    case 'refused':
      return { emoji: ':warning:', came: `Not accepted by the marketplace.${why} The task is still open.` };
    case 'overtaken':
      return { emoji: ':information_source:', came: 'Not sent: the task already had another rating.' };
    case 'applied':
      return { emoji: ratingEmoji[verdict], came: 'The marketplace accepted it.' };
  }
}
