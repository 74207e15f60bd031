import type { KnownBlock } from '@slack/types';
import { DateTime } from 'luxon';
import type { Forecast } from '../../domain/forecast.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import type { CampaignId } from '../../domain/terms.ts';
import { context, section } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';

/** What waits in one campaign. Times are milliseconds since 1970. */
export interface BoardRow {
  readonly campaign: CampaignId;
  readonly title: string;
  readonly waiting: number;
  readonly oldest?: number;
  readonly runsOutAt?: number;
  /** How many run out until the end of today, or have; absent when nobody has said how long they may wait. */
  readonly dueToday?: number;
  /** What they are paid if all are accepted; absent when the payment is not known. */
  readonly money?: Money;
  /** How far the campaign is; absent when it was never listed. Counts of tasks. */
  readonly progress?: {
    readonly positions: number;
    readonly accepted: number;
    /** Neither accepted nor refused yet. */
    readonly submitted: number;
  };
}

/** What waits in an account, for one reader. */
export interface Board {
  readonly waiting: number;
  /** Only some campaigns are subscribed to, and no others are counted. */
  readonly isPartial: boolean;
  readonly campaigns: number;
  readonly oldest?: number;
  /** How many have run out, and how many will have by the end of today. */
  readonly late: number;
  readonly dueToday: number;
  /** Of how many it is not known when they run out. */
  readonly undated: number;
  readonly money: Money;
  /** Of how many it is not known what they are paid. */
  readonly unpriced: number;
  /** One page of the campaigns: those whose tasks run out first, then those that run and have nothing that waits. */
  readonly rows: readonly BoardRow[];
  /** From 0, and how many there are. */
  readonly page: number;
  readonly pages: number;
  /** How many subscriptions there are. */
  readonly subscriptions: number;
  /** Where today ends (IANA); not `isKnown`: Slack does not tell where the reader is. */
  readonly zone: { readonly name: string; readonly isKnown: boolean };
  /** When the marketplace was last read (ms), if it does not answer now. */
  readonly lastSeen?: number;
  readonly forecast?: Forecast;
}

/** Renders the board: all that waits, and whether it will be decided in time. */
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
    ...forecastBlocks(board),
    context(notes(board).join(' ')),
    ...seen,
  ];
}

/** Returns how many tasks wait, where and since when, and what is due. */
function waitingLine({ waiting, campaigns, oldest, late, dueToday, undated }: Board): string {
  const many = waiting === 1 ? '*1 task* waits' : `*${number(waiting)} tasks* wait`;
  const where = campaigns === 1 ? 'in one campaign' : `in ${number(campaigns)} campaigns`;
  const since = oldest === undefined ? '' : `, the oldest since ${date(oldest)}`;
  const first = `${many} for review ${where}${since}.`;
  if (undated === waiting) return first;
  const already = late === 0 ? '' : `, ${number(late)} of them ran out already`;
  return `${first} *${number(dueToday)} due today*${already}.`;
}

function moneyLine({ money, unpriced, waiting }: Board): string {
  if (unpriced === waiting) return 'What is to be paid for them is not known.';
  const besides = unpriced === 0 ? '' : `, not counting ${number(unpriced)} whose payment is not known`;
  return `*${formatMoney(money)}* to be paid if all are rated OK${besides}.`;
}

/** Returns whether what waits will be decided in time, and what that rests on; nothing while too little is known. */
function forecastBlocks({ forecast, zone }: Board): KnownBlock[] {
  if (forecast === undefined) return [];
  const { short, basis } = forecast;
  const rests = context(
    `Based on ${number(basis.decisions)} decisions of the last two weeks (${number(Math.round(basis.perReviewerHour))} per reviewer and hour), at the same hours of the week. New tasks and ratings made outside of Slack are not counted.`,
  );
  if (short === undefined)
    return [section('At the pace of the last two weeks, all of it will be decided in time.'), rests];
  const day = DateTime.fromMillis(short.at, { zone: zone.name }).setLocale('en').toFormat('cccc');
  const text = `:warning: *${hoursText(short.reviewerHours)} short by ${day}*: ${number(short.tasks)} ${short.tasks === 1 ? 'task runs' : 'tasks run'} out by then without a decision, at the pace of the last two weeks.`;
  return [section(text), rests];
}

function hoursText(hours: number): string {
  if (hours < 1) return 'Less than one reviewer-hour';
  const rounded = Math.ceil(hours - 1e-9);
  return rounded === 1 ? '1 reviewer-hour' : `${number(rounded)} reviewer-hours`;
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
    `It is not known when ${them} ${undated === 1 ? 'runs' : 'run'} out. Set in \`/campaign status\` how many days a task may wait.`,
  ];
}

function number(count: number): string {
  return count.toLocaleString('en');
}
