import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignTitleOf, tellApart } from '../../domain/campaign.ts';
import { formatMoney, type Money, money } from '../../domain/money.ts';
import type { Decision, Task } from '../../domain/task.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, pageButtons, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { code, date, dateAtStart, inline, user } from '../../slack/mrkdwn.ts';
import type { WaitingCampaign } from '../../store/tasks.ts';
import { stateLine, undoLabel } from '../../ui/task.view.ts';
import { counted, joined, number, partOf, ratingEmoji } from '../../ui/words.ts';

/** Waiting work in one campaign. Times are milliseconds since 1970. */
export interface BoardRow extends WaitingCampaign {
  /** As it was last listed, if it was. */
  readonly listed?: Campaign | undefined;
  /** Number of tasks that are due by the end of today, or overdue; absent if the time to rate is unknown. */
  readonly dueToday?: number | undefined;
}

/** Waiting work in an account, for one reader. */
export interface Board {
  readonly waiting: number;
  /** Whether only some campaigns are subscribed to; others are not counted. */
  readonly isPartial: boolean;
  readonly campaigns: number;
  readonly oldest?: number | undefined;
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
  /** When the marketplace was last read (ms), if it does not answer now. */
  readonly lastSeen?: number | undefined;
}

/** Renders the board of all waiting work. */
export function boardBlocks(board: Board): KnownBlock[] {
  const text =
    board.waiting === 0
      ? 'No tasks are waiting for review.'
      : [waitingLine(board), moneyLine(board)].join('\n');
  return [section(text), ...notes(board).map((note) => context(note))];
}

/** Returns how many tasks wait, where and since when, and how many are due. */
function waitingLine({ waiting, campaigns, oldest, late, dueToday, undated }: Board): string {
  const since = oldest === undefined ? '' : `${waiting === 1 ? '' : ', the oldest'} since ${date(oldest)}`;
  const first = `*${counted(waiting, 'task')}* waiting in ${counted(campaigns, 'campaign')}${since}.`;
  if (undated === waiting) return first;
  if (dueToday === 0) return `${first} None due today.`;
  const overdue = dueToday === 1 ? 'overdue' : `${number(late)} of them ${late === 1 ? 'is' : 'are'} overdue`;
  return `${first} *${number(dueToday)} due today*${late === 0 ? '' : `, ${overdue}`}.`;
}

function moneyLine({ money, unpriced, waiting }: Board): string {
  if (unpriced === waiting) return `The payment for ${waiting === 1 ? 'it' : 'them'} isn’t known.`;
  const besides = unpriced === 0 ? '' : `, not counting ${number(unpriced)} whose payment isn’t known`;
  return `*${formatMoney(money)}* to be paid if ${waiting === 1 ? 'it is' : 'all are'} rated OK${besides}.`;
}

function notes({ isPartial, undated, lastSeen }: Board): string[] {
  const them = undated === 1 ? 'one task' : `${number(undated)} tasks`;
  return [
    ...(isPartial ? ['Only campaigns that a channel is subscribed to are counted.'] : []),
    ...(undated > 0 ? [`No due date is set for ${them}. Set the deadline in \`/campaign status\`.`] : []),
    ...(lastSeen === undefined
      ? []
      : [`The marketplace cannot be reached right now, so this is from ${date(lastSeen)}.`]),
  ];
}

/** Renders one page of campaigns with progress and waiting tasks. */
export function campaignBlocks({ rows, page, pages }: Pick<Board, 'rows' | 'page' | 'pages'>): KnownBlock[] {
  if (rows.length === 0) return [];
  const told = tellApart(rows.map(asCampaign));
  return [
    { type: 'divider' },
    section('*Campaigns*'),
    ...rows.map((row) => campaignRow(row, told(asCampaign(row)))),
    ...pageButtons({ blockId: 'home.campaigns', actionId: 'home.campaigns', page, pages }),
  ];
}

function asCampaign({ campaign, listed }: BoardRow) {
  return { id: campaign, title: listed?.title ?? '' };
}

function campaignRow(row: BoardRow, told: string): KnownBlock {
  const { campaign, listed } = row;
  const name = campaignTitleOf(campaign, listed?.title);
  const lines = [
    `*${inline(name, 80)}*${told && ` ${code(told)}`}`,
    ...(listed === undefined ? [] : [progressLine(listed)]),
    waitingInCampaign(row),
  ];
  return section(lines.join('\n'), {
    accessory: button('Status', 'campaign.status', JSON.stringify({ campaign }), {
      label: `Status of ${name}`,
    }),
  });
}

const barLength = 10;

/** Draws the share of positions with an accepted task, and with an undecided one. */
function progressLine({ availablePositions: positions, tasksOk: accepted, ...listed }: Campaign): string {
  if (positions <= 0) return `${number(accepted)} accepted`;
  const undecided = listed.tasksNotRated + listed.tasksNotReviewed;
  const cells = (tasks: number) => Math.round((Math.min(tasks, positions) / positions) * barLength);
  const full = Math.min(cells(accepted), accepted < positions ? barLength - 1 : barLength);
  const half = Math.min(Math.max(cells(undecided), undecided > 0 ? 1 : 0), barLength - full);
  const bar = `${'█'.repeat(full)}${'▒'.repeat(half)}${'░'.repeat(barLength - full - half)}`;
  const percent = Math.floor((Math.min(accepted, positions) / positions) * 100);
  return `${bar} ${percent} % · ${partOf(accepted, positions, 'accepted')}`;
}

function waitingInCampaign({ waiting, oldest, dueAt, dueToday, listed }: BoardRow): string {
  if (waiting === 0) return 'Nothing is waiting.';
  return joined([
    `*${number(waiting)} waiting*`,
    oldest === undefined ? '' : `oldest ${date(oldest)}`,
    dueToday === undefined || dueToday === 0 ? '' : `${number(dueToday)} due today`,
    dueAt === undefined ? '' : `first due ${date(dueAt)}`,
    listed === undefined ? '' : formatMoney(money(listed.paymentPerTask).times(waiting)),
  ]);
}

/** Value of an Undo button. */
export const undoValue = codec(
  'button',
  z.object({ account: AccountId, task: TaskId, decision: z.string() }),
  'Open Home again.',
);

/** One of a member's last decisions: its id, when it was made (ms), and its task as it is now, if it is stored. */
export interface DecisionRow {
  readonly id: TaskId;
  readonly decision: string;
  readonly at: number;
  readonly task?: Task | undefined;
  readonly campaignTitle: string;
}

/** A member's last decisions. */
export interface LastDecisions {
  readonly member: MemberId;
  readonly rows: readonly DecisionRow[];
  /** The answer to an Undo just pressed. */
  readonly said?: readonly KnownBlock[];
}

/** Renders a member's last decisions with their outcomes, and Undo where possible. */
export function decisionBlocks(account: AccountId, shown: LastDecisions): KnownBlock[] {
  const { member, rows, said = [] } = shown;
  if (rows.length === 0) return [];
  return [
    { type: 'divider' },
    section('*Your last decisions*'),
    ...said,
    ...rows.map((row) => decisionRow(account, member, row)),
  ];
}

/** Returns a decision as it stands in its task; undefined if it does not any more. */
export function standing({ decision, task }: DecisionRow): Decision | undefined {
  return task?.decision?.id === decision ? task.decision : undefined;
}

function decisionRow(account: AccountId, member: MemberId, row: DecisionRow): KnownBlock {
  const { id, task, campaignTitle } = row;
  const worker = task && (task.worker.name ?? task.worker.id);
  const about = joined([inline(campaignTitle, 60), worker === undefined ? '' : inline(worker, 40)]);
  const text = `${about}\n${cameOf(row, member)}`;
  const decision = standing(row);
  if (decision?.state !== 'waiting' && decision?.state !== 'held') return context(text);
  return section(text, {
    accessory: button(
      undoLabel(decision.verdict, worker ?? `task ${id}`),
      'home.undo',
      undoValue.encode({ account, task: id, decision: decision.id }),
    ),
  });
}

/** Returns what became of a member's decision, in mrkdwn. */
function cameOf(row: DecisionRow, member: MemberId): string {
  const { decision: id, at, task } = row;
  if (task && standing(row)) return stateLine(task) ?? '';
  const { undone = [], undoneBy, round = 1, before } = task ?? {};
  const when = `${dateAtStart(at)} ·`;
  if (undone.includes(id)) {
    const isByColleague = undone.at(-1) === id && undoneBy?.of === member;
    const by = isByColleague ? ` by ${user(undoneBy.by)}` : '';
    return `:leftwards_arrow_with_hook: ${when} Undone${by}.`;
  }
  return round > 1 && before?.by === member
    ? `${ratingEmoji.REVISE} ${when} The worker has resubmitted the task.`
    : `:grey_question: ${when} The task has changed since. Its card says how.`;
}
