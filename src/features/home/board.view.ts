import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { campaignTitleOf, tellApart } from '../../domain/campaign.ts';
import type { Decision, Task } from '../../domain/task.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { code, date, dateAtStart, inline, user } from '../../slack/mrkdwn.ts';
import type { WaitingCampaign } from '../../store/tasks.ts';
import { stateLine, undoLabel } from '../../ui/task.view.ts';
import { counted, joined, number } from '../../ui/words.ts';

/** Waiting work in one campaign. Times are milliseconds since 1970. */
export interface BoardRow extends WaitingCampaign {
  /** '' if unknown. */
  readonly title: string;
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
  /** The first of the campaigns, earliest deadline first. */
  readonly rows: readonly BoardRow[];
  /** Number of subscriptions. */
  readonly subscriptions: number;
  /** When the marketplace was last read (ms), if it does not answer now. */
  readonly lastSeen?: number | undefined;
}

/** Renders the board of all waiting work. */
export function boardBlocks(board: Board): KnownBlock[] {
  const text = board.waiting === 0 ? 'No tasks are waiting for review.' : waitingLine(board);
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

/** Renders the campaigns with waiting tasks. */
export function campaignBlocks({ rows, campaigns }: Pick<Board, 'rows' | 'campaigns'>): KnownBlock[] {
  if (rows.length === 0) return [];
  const told = tellApart(rows.map(asCampaign));
  const more = campaigns - rows.length;
  return [
    { type: 'divider' },
    section('*Campaigns*'),
    ...rows.map((row) => campaignRow(row, told(asCampaign(row)))),
    ...(more > 0 ? [context(`Tasks are waiting in ${counted(more, 'more campaign')}.`)] : []),
  ];
}

function asCampaign({ campaign, title }: BoardRow) {
  return { id: campaign, title };
}

function campaignRow({ campaign, title, waiting, oldest, dueAt }: BoardRow, told: string): KnownBlock {
  const name = campaignTitleOf(campaign, title);
  const facts = joined([
    `*${number(waiting)} waiting*`,
    oldest === undefined ? '' : `oldest ${date(oldest)}`,
    dueAt === undefined ? '' : `first due ${date(dueAt)}`,
  ]);
  return section(`*${inline(name, 80)}*${told && ` ${code(told)}`}\n${facts}`, {
    accessory: button('Status', 'campaign.status', JSON.stringify({ campaign }), {
      label: `Status of ${name}`,
    }),
  });
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
export function decisionBlocks(account: AccountId, { member, rows, said = [] }: LastDecisions): KnownBlock[] {
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

/** Returns what became of a decision, in mrkdwn. */
function cameOf(row: DecisionRow, member: MemberId): string {
  const { decision: id, at, task } = row;
  if (task && standing(row)) return stateLine(task) ?? '';
  const { undone = [], undoneBy } = task ?? {};
  const when = `${dateAtStart(at)} ·`;
  if (!undone.includes(id)) return `:grey_question: ${when} The task has changed since. Its card says how.`;
  const isByColleague = undone.at(-1) === id && undoneBy?.of === member && undoneBy.at >= at;
  const by = isByColleague ? ` by ${user(undoneBy.by)}` : '';
  return `:leftwards_arrow_with_hook: ${when} Undone${by}.`;
}
