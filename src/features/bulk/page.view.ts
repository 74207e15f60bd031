import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import { type BulkItem, maxBulk } from '../../domain/bulk-selection.ts';
import { countryName } from '../../domain/evidence/travel.ts';
import { slotNumber, type Task } from '../../domain/task.ts';
import type { MemberId, TaskId } from '../../domain/terms.ts';
import { capital } from '../../domain/text.ts';
import type { ShownRecord } from '../../domain/worker.ts';
import { actions, button, context, modal, option, plainWords, section } from '../../slack/blocks.ts';
import { isCut } from '../../slack/limits.ts';
import { date, inline, preformatted, user } from '../../slack/mrkdwn.ts';
import { describeFile } from '../../slack/proof-file.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import { factsOf } from '../../ui/evidence.view.ts';
import { workerRecordLine } from '../../ui/worker.view.ts';
import { type SelectionState, selectionState } from './button-values.ts';
import { counted, reviewedByMarketplace } from './wording.ts';

/** A task on a page. */
export interface PageRow {
  /** Number in the list, from 1. */
  readonly number: number;
  readonly id: TaskId;
  /** Absent if it is no longer stored. */
  readonly task?: Task;
  readonly campaignTitle: string;
  /** When it is due (ms), if known. */
  readonly dueAt?: number;
  readonly record?: ShownRecord;
  /** What it has in common with other tasks. */
  readonly evidence?: readonly AlikeTask[];
  /** Whether it looks like others, so that it is ticked only by itself. */
  readonly isAlike?: boolean;
  readonly isTicked: boolean;
  /** Why it cannot be ticked: a colleague is looking at it, or it no longer waits. */
  readonly reviewedBy?: MemberId;
  readonly isClosed?: boolean;
}

export interface PageData {
  readonly state: SelectionState;
  /** The filter in mrkdwn; '' for none. */
  readonly label: string;
  readonly page: number;
  readonly pages: number;
  readonly listed: number;
  readonly unlisted: number;
  readonly ticked: { readonly all: number; readonly here: number; readonly unlisted: number };
  readonly rows: readonly PageRow[];
  /** What the tasks ask for, if the whole page belongs to one campaign. */
  readonly asked?: Asked;
  /** Title of that campaign. */
  readonly campaign?: string;
  /** Notices shown first, in mrkdwn. */
  readonly notices: readonly string[];
}

/** Characters of a proof and of the request shown in a row. */
const excerptShown = 500;
const askedShown = 300;

const rowPrefix = 'bulk.row';

/** Returns the block id of a task's checkbox. The step in it makes Slack use this view's ticks. */
function rowBlock(step: number, { task, round }: BulkItem): string {
  return `${rowPrefix}/${step}/${round}/${task}`;
}

/** Returns the task of a checkbox; undefined for other blocks. */
export function itemOfBlock(blockId: string): { readonly task: string; readonly round: number } | undefined {
  const [prefix, , round, ...task] = blockId.split('/');
  if (prefix !== rowPrefix || task.length === 0) return undefined;
  return { task: task.join('/'), round: Number(round) };
}

/** Renders a page of waiting tasks with checkboxes. Only the person's own ticks are set. */
export function pageView(data: PageData): ModalView {
  const { state, rows, asked, notices, listed } = data;
  const isEmpty = listed === 0;
  const bottom = bottomButtons(data);
  return modal({
    callbackId: 'bulk.page',
    title: 'Select tasks',
    ...(isEmpty ? {} : { submit: 'Decide…' }),
    close: 'Close',
    state: selectionState.encode(state),
    blocks: [
      ...notices.map((text) => section(text)),
      section(isEmpty ? nothing(data) : heading(data)),
      ...(isEmpty ? [] : [context(tickedLine(data))]),
      ...alikeLine(data),
      actions(`bulk.top/${state.step}`, [
        button('Filter…', 'bulk.filter', 'filter'),
        ...pageButtons(data),
        ...(data.ticked.all > 0 ? [button('Deselect all', 'bulk.clear', 'all')] : []),
      ]),
      ...(asked === undefined || asked.proofs.length === 0
        ? []
        : [context(`Asked for: ${inline(asked.proofs.join(' / '), askedShown)}`)]),
      ...rows.flatMap((row) => rowBlocks(data, row)),
      ...(isEmpty || bottom.length === 0 ? [] : [actions(`bulk.bottom/${state.step}`, bottom)]),
    ],
  });
}

function nothing({ label, ticked }: PageData): string {
  const what = label === '' ? 'No task is waiting for review.' : `No waiting task matches: ${label}.`;
  return ticked.all === 0
    ? what
    : `${what} ${counted(ticked.all, 'task')} of another filter ${ticked.all === 1 ? 'is' : 'are'} selected.`;
}

function heading({ label, campaign, page, rows, listed, unlisted }: PageData): string {
  const first = rows[0]?.number ?? page + 1;
  const last = rows.at(-1)?.number ?? first;
  const which = first === last ? `Task ${first}` : `Tasks ${first}–${last}`;
  const total = (listed + unlisted).toLocaleString('en');
  const what = [campaign === undefined ? '' : `*${inline(campaign)}*`, label].filter((part) => part !== '');
  const more = unlisted > 0 ? ` The ${listed.toLocaleString('en')} most urgent are listed.` : '';
  return `${what.length > 0 ? `${[...new Set(what)].join(' · ')}\n` : ''}${which} of ${total} that ${total === '1' ? 'waits' : 'wait'}.${more}`;
}

function tickedLine({ ticked: { all, here, unlisted } }: PageData): string {
  const elsewhere = all - here - unlisted;
  const parts = [
    here > 0 ? `${here} selected on this page` : 'None selected on this page so far',
    ...(elsewhere > 0 ? [`*${elsewhere.toLocaleString('en')}* on other pages`] : []),
    ...(unlisted > 0 ? [`*${unlisted.toLocaleString('en')}* outside of this filter`] : []),
  ];
  return `${parts.join(' · ')}. Up to ${maxBulk} can be decided together.`;
}

function alikeLine({ rows }: PageData): KnownBlock[] {
  const count = rows.filter((row) => row.isAlike && mayTick(row)).length;
  if (count === 0) return [];
  return [
    context(
      `:mag: ${counted(count, 'task')} on this page ${count === 1 ? 'looks' : 'look'} like others. Select ${count === 1 ? 'it with its own box' : 'each with its own box'}.`,
    ),
  ];
}

function pageButtons({ page, pages }: PageData): ActionsBlock['elements'] {
  return [
    ...(page > 0 ? [button('Previous page', 'bulk.previous', 'previous')] : []),
    ...(page < pages - 1 ? [button('Next page', 'bulk.next', 'next')] : []),
  ];
}

function bottomButtons(data: PageData): ActionsBlock['elements'] {
  const { page, pages, rows, ticked } = data;
  const count = rows.filter((row) => mayTick(row) && !row.isAlike).length;
  const these = count === 1 ? 'this one' : `these ${count}`;
  const isLast = page === pages - 1;
  return [
    ...(count > 0 && !isLast
      ? [button(`Select ${these}, next page`, 'bulk.tick-next', 'tick', { style: 'primary' })]
      : []),
    ...(count > 0 ? [button(`Select ${these}`, 'bulk.tick-page', 'tick')] : []),
    ...(ticked.here > 0 ? [button('Deselect this page', 'bulk.untick-page', 'untick')] : []),
    ...pageButtons(data),
  ];
}

/** Returns whether a task can be ticked. */
export function mayTick({ task, reviewedBy, isClosed }: PageRow): boolean {
  return task !== undefined && reviewedBy === undefined && isClosed !== true;
}

function rowBlocks({ state, campaign }: PageData, row: PageRow): KnownBlock[] {
  const { task, number, id } = row;
  if (task === undefined) return [section(`*${number}.* _This task is no longer known._`)];
  const about = section(`${rowHeading(row, campaign === undefined)}\n${body(row, task)}`, {
    accessory: button('See all…', 'bulk.whole', id, { label: `See all of task ${number}` }),
  });
  if (!mayTick(row)) return [about];
  const box = option(plainWords(`${number} · ${task.worker.name ?? task.worker.id}`, 75), id);
  return [
    about,
    actions(rowBlock(state.step, { task: id, round: task.round }), [
      {
        type: 'checkboxes',
        action_id: 'bulk.tick',
        options: [box],
        ...(row.isTicked ? { initial_options: [box] } : {}),
      },
    ]),
  ];
}

function rowHeading({ number, task, campaignTitle, dueAt, record }: PageRow, isMixed: boolean): string {
  if (task === undefined) return '';
  const { worker, proof, round } = task;
  const name = worker.name ? `${inline(worker.name, 40)} (${inline(worker.id, 40)})` : inline(worker.id, 40);
  const facts = [
    ...(isMixed ? [`*${inline(campaignTitle, 80)}*`] : []),
    `Worker ${name}`,
    inline(countryName(worker.country), 40),
    ...(round > 1 ? [`round ${round}`] : []),
    ...(proof.finishedAt === undefined
      ? []
      : [date(proof.finishedAt, 'finished {date_short_pretty} at {time}')]),
    ...(dueAt === undefined ? [] : [`*${date(dueAt, 'due {date_short_pretty} at {time}')}*`]),
    (record && workerRecordLine(record)) ?? '',
  ];
  return `*${number}.* ${facts.filter((fact) => fact !== '').join(' · ')}`;
}

function whyClosed({ decision, rating }: Task): string {
  if (decision !== undefined && decision.state !== 'overtaken')
    return `*${decision.verdict}* by ${user(decision.by)}`;
  return rating === 'NOTREVIEWED' ? reviewedByMarketplace : `rated *${rating}* outside of Slack`;
}

function evidenceLine({ evidence = [] }: PageRow): string {
  const facts = factsOf(evidence);
  return facts.length === 0 ? '' : `\n:mag: ${capital(facts.join(' · '))}`;
}

function body(row: PageRow, task: Task): string {
  const { reviewedBy, isClosed } = row;
  if (isClosed) return `_No longer waits:_ ${whyClosed(task)}.`;
  const notice =
    reviewedBy === undefined ? '' : `:eyes: ${user(reviewedBy)} is reviewing this task right now.\n`;
  return `${notice}${proofExcerpt(task)}${filesLine(task)}${evidenceLine(row)}`;
}

/** Returns a row's proof excerpt: every slot, truncated. */
export function proofExcerpt({ proof }: Pick<Task, 'proof'>, shown = excerptShown): string {
  const { slots } = proof;
  if (slots.length === 0) return proof.files.length > 0 ? '_No text, only files_' : '_No text_';
  const each = Math.max(60, Math.floor(shown / slots.length));
  const room = Math.max(120, Math.floor((shown * 3) / slots.length));
  const most = 8;
  const pieces = slots.slice(0, most).map((slot, index) => {
    const name = slots.length === 1 ? '' : `${slotNumber(proof, index)}: `;
    return `${name}${preformatted(slot, each, room)}`;
  });
  const more = slots.length > most ? `\n_And ${slots.length - most} more._` : '';
  const cut = slots.some((slot) => isCut(slot, each)) ? '\n_Cut: press “See all…”._' : '';
  return `${pieces.join('\n')}${more}${cut}`;
}

function filesLine({ proof: { files }, detailed }: Task): string {
  if (!detailed) return '\n_Files, if there are any: press “See all…”._';
  if (files.length === 0) return '';
  const more = files.length > 3 ? ` · and ${files.length - 3} more` : '';
  return `\nFiles: ${files.slice(0, 3).map(describeFile).join(' · ')}${more}`;
}
