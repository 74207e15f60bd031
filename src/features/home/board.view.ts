import type { KnownBlock } from '@slack/types';
import { formatMoney, type Money } from '../../domain/money.ts';
import type { CampaignId } from '../../domain/terms.ts';
import { context, section } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { number } from '../../ui/words.ts';

/** Waiting work in one campaign. Times are milliseconds since 1970. */
export interface BoardRow {
  readonly campaign: CampaignId;
  readonly title: string;
  readonly waiting: number;
  readonly oldest?: number;
  readonly dueAt?: number;
  /** Number of tasks that are due by the end of today, or overdue; absent if the time to rate is unknown. */
  readonly dueToday?: number;
  /** Total payment if all are accepted; absent if the payment is unknown. */
  readonly money?: Money;
  /** Progress in tasks; absent if the campaign was never listed. */
  readonly progress?: {
    readonly positions: number;
    readonly accepted: number;
    /** Neither accepted nor refused yet. */
    readonly submitted: number;
  };
}

/** Waiting work in an account, for one reader. */
export interface Board {
  readonly waiting: number;
  /** Whether only some campaigns are subscribed to; others are not counted. */
  readonly isPartial: boolean;
  readonly campaigns: number;
  readonly oldest?: number;
  /** Number of overdue tasks, and of those due by the end of today. */
  readonly late: number;
  readonly dueToday: number;
  /** Number of tasks with an unknown deadline. */
  readonly undated: number;
  readonly money: Money;
  /** Number of tasks with an unknown payment. */
  readonly unpriced: number;
  /** One page of the campaigns: earliest deadline first, then running ones without waiting tasks. */
  readonly rows: readonly BoardRow[];
  /** The current page, from 0, and the number of pages. */
  readonly page: number;
  readonly pages: number;
  /** Number of subscriptions. */
  readonly subscriptions: number;
  /** Zone of the end of today (IANA); not `isKnown`: Slack does not tell where the reader is. */
  readonly zone: { readonly name: string; readonly isKnown: boolean };
  /** When the marketplace was last read (ms), if it does not answer now. */
  readonly lastSeen?: number;
}

/** Renders the board of all waiting work. */
export function boardBlocks(board: Board): KnownBlock[] {
  const { waiting, isPartial, lastSeen } = board;
  const seen =
    lastSeen === undefined
      ? []
      : [context(`The marketplace cannot be reached right now, so this is from ${date(lastSeen)}.`)];
  if (waiting === 0)
    return [
      section('No tasks are waiting for review.'),
      ...(isPartial ? [context(onlySubscribed)] : []),
      ...seen,
    ];
  return [
    section([waitingLine(board), moneyLine(board)].join('\n')),
    context(notes(board).join(' ')),
    ...seen,
  ];
}

/** Returns how many tasks wait, where and since when, and how many are due. */
function waitingLine({ waiting, campaigns, oldest, late, dueToday, undated }: Board): string {
  const many = waiting === 1 ? '*1 task* waits' : `*${number(waiting)} tasks* wait`;
  const where = campaigns === 1 ? 'in one campaign' : `in ${number(campaigns)} campaigns`;
  const since = oldest === undefined ? '' : `, ${waiting === 1 ? '' : 'the oldest '}since ${date(oldest)}`;
  const first = `${many} for review ${where}${since}.`;
  if (undated === waiting) return first;
  if (dueToday === 0) return `${first} None due today.`;
  const overdue = dueToday === 1 ? 'overdue' : `${number(late)} of them ${late === 1 ? 'is' : 'are'} overdue`;
  return `${first} *${number(dueToday)} due today*${late === 0 ? '' : `, ${overdue}`}.`;
}

function moneyLine({ money, unpriced, waiting }: Board): string {
  if (unpriced === waiting) return `The payment for ${waiting === 1 ? 'it' : 'them'} is not known.`;
  const besides = unpriced === 0 ? '' : `, not counting ${number(unpriced)} whose payment is not known`;
  return `*${formatMoney(money)}* to be paid if ${waiting === 1 ? 'it is' : 'all are'} rated OK${besides}.`;
}

const onlySubscribed = 'Only campaigns that a channel is subscribed to are counted.';

function notes({ isPartial, zone, undated }: Board): string[] {
  const ends = zone.isKnown
    ? `Today ends at midnight in your time zone (${inline(zone.name, 60)}).`
    : 'Today ends at midnight UTC, because Slack does not say which time zone you are in.';
  const today = isPartial ? `${onlySubscribed} ${ends}` : ends;
  if (undated === 0) return [today];
  const them = undated === 1 ? 'one task' : `${number(undated)} tasks`;
  return [
    today,
    `It is not known when ${them} ${undated === 1 ? 'is' : 'are'} due. Set in \`/campaign status\` how many days a task may wait.`,
  ];
}
