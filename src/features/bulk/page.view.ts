import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  type Box,
  type BulkSelection,
  isTicked,
  maxBulk,
  tasksPerPage,
  tasksPerPart,
  tickedCounts,
} from '../../domain/bulk-selection.ts';
import type { Asked } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import { countryName } from '../../domain/evidence/likeness.ts';
import { byIndex, missingPictures, withoutPictures } from '../../domain/picture.ts';
import { isOpen, slotNumber, type Task } from '../../domain/task.ts';
import { AccountId, type MemberId, TaskId, verdicts } from '../../domain/terms.ts';
import type { ShownRecord } from '../../domain/worker.ts';
import { actions, button, context, input, modal, option, plainWords, section } from '../../slack/blocks.ts';
import type { IsRefused } from '../../slack/files.ts';
import { codec, type Values } from '../../slack/form-values.ts';
import { date, inline, isCut, preformatted, user } from '../../slack/mrkdwn.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import { factsOf } from '../../ui/evidence.view.ts';
import {
  filesLine,
  filesWarning,
  instructionsBlocks,
  pictureBlocks,
  wholeProofWithAsked,
} from '../../ui/proof.view.ts';
import { headingText } from '../../ui/task.view.ts';
import { campaignName, capital, counted, joined, number } from '../../ui/words.ts';
import { workerRecordLine } from '../../ui/worker.view.ts';
import { filterHelp } from '../focus/public.ts';

/** State of every view of a selection. */
export const selectionState = codec(
  'form',
  z.object({ account: AccountId, selection: z.string(), step: z.number() }),
  'Select the tasks again.',
);
export type SelectionState = ReturnType<typeof selectionState.decode>;

/** Returns the state of the view that shows the current step of a selection. */
export function stateOf(account: AccountId, { id, step }: BulkSelection): string {
  return selectionState.encode({ account, selection: id, step });
}

/** For a task that nobody can rate yet. */
export const reviewedByMarketplace = 'the marketplace is reviewing it';

/** A task on a page. */
export interface PageRow {
  /** Number in the list, from 1. */
  readonly number: number;
  readonly id: TaskId;
  /** Absent if it is no longer stored. */
  readonly task?: Task | undefined;
  readonly campaignTitle: string;
  /** When it is due (ms), if known. */
  readonly dueAt?: number | undefined;
  readonly record?: ShownRecord | undefined;
  /** What it has in common with other tasks. */
  readonly evidence: readonly AlikeTask[];
  /** The colleague who is looking at it. */
  readonly reviewedBy?: MemberId | undefined;
}

/** The page of a selection that is stored as shown, and what its rows show. */
export interface PageData {
  readonly account: AccountId;
  readonly selection: BulkSelection;
  readonly pages: number;
  readonly rows: readonly PageRow[];
  /** What the tasks ask for, if the whole page belongs to one campaign. */
  readonly asked?: Asked | undefined;
  /** Title of that campaign. */
  readonly campaign?: string | undefined;
  /** Said first, in mrkdwn. */
  readonly said?: string | undefined;
}

/** Characters of a proof and of the request shown in a row. */
const excerptShown = 500;
const askedShown = 300;

/** Returns the checkboxes of a view. */
export function boxesIn(values: Values): Box[] {
  return Object.entries(values).flatMap(([block, elements]) => {
    const [, round, task] = /^bulk\.row\/\d+\/(\d+)\/(.+)$/.exec(block) ?? [];
    const isTicked = Object.values(elements).some((one) => one.selected_options?.length);
    return task === undefined ? [] : [{ task: TaskId.parse(task), round: Number(round), isTicked }];
  });
}

/** Renders a page of waiting tasks with checkboxes. Only the person's own ticks are set. */
export function pageView(data: PageData): ModalView {
  const { account, selection, rows, asked, said } = data;
  const { step } = selection;
  const isEmpty = selection.listed.length === 0;
  const bottom = bottomButtons(data);
  return modal({
    callbackId: 'bulk.page',
    title: 'Select tasks',
    close: 'Close',
    state: stateOf(account, selection),
    blocks: [
      ...(said === undefined ? [] : [section(said)]),
      section(isEmpty ? nothing(selection) : heading(data)),
      ...(isEmpty ? [] : [context(tickedLine(selection))]),
      ...alikeLine(selection),
      actions(`bulk.top/${step}`, [
        button('Filter…', 'bulk.filter', 'filter'),
        ...(tickedCounts(selection).all > 0 ? [button('Deselect all', 'bulk.clear', 'all')] : []),
      ]),
      ...(asked === undefined || asked.proofs.length === 0
        ? []
        : [context(`Asked for: ${inline(asked.proofs.join(' / '), askedShown)}`)]),
      ...chunksOf(rows, tasksPerPart).flatMap((part, at, { length }) => [
        ...part.flatMap((row) => rowBlocks(data, row)),
        ...(at < length - 1 ? partButton(selection, part) : []),
      ]),
      ...(isEmpty || bottom.length === 0 ? [] : [actions(`bulk.bottom/${step}`, bottom)]),
      ...(isEmpty ? [] : [rateButtons(step)]),
    ],
  });
}

function nothing(selection: BulkSelection): string {
  const { label } = selection.filter;
  const { all } = tickedCounts(selection);
  const what = label === '' ? 'No tasks are waiting for review.' : `No waiting tasks match: ${label}.`;
  return all === 0
    ? what
    : `${what} ${counted(all, 'task')} outside of this filter ${all === 1 ? 'is' : 'are'} selected.`;
}

function heading({ selection, campaign, rows }: PageData): string {
  const { filter, page, listed, unlisted } = selection;
  const first = page * tasksPerPage + 1;
  const last = page * tasksPerPage + rows.length;
  const which = first === last ? `Task ${first}` : `Tasks ${first}–${last}`;
  const total = number(listed.length + unlisted);
  const name = campaign === undefined ? '' : `*${inline(campaign)}*`;
  const what = joined([...new Set([name, filter.label])]);
  const more = unlisted > 0 ? ` The ${number(listed.length)} most urgent are listed.` : '';
  return `${what === '' ? '' : `${what}\n`}${which} of ${total} waiting.${more}`;
}

function tickedLine(selection: BulkSelection): string {
  const { all, here, unlisted } = tickedCounts(selection);
  const elsewhere = all - here - unlisted;
  const parts = [
    here > 0 ? `${here} selected on this page` : 'None selected on this page',
    ...(elsewhere > 0 ? [`*${number(elsewhere)}* on other pages`] : []),
    ...(unlisted > 0 ? [`*${number(unlisted)}* outside of this filter`] : []),
  ];
  return `${parts.join(' · ')}. Up to ${maxBulk} can be rated together.`;
}

/** Returns the tasks on the page that are ticked together. */
function together({ shown, alike }: BulkSelection): TaskId[] {
  return shown.flatMap(({ task }) => (alike.includes(task) ? [] : [task]));
}

function alikeLine(selection: BulkSelection): KnownBlock[] {
  const count = selection.shown.length - together(selection).length;
  if (count === 0) return [];
  return [
    context(
      `:mag: ${counted(count, 'task')} on this page ${count === 1 ? 'looks' : 'look'} like others. The Select buttons skip ${count === 1 ? 'it: tick it yourself' : 'them: tick them one by one'}.`,
    ),
  ];
}

/** Returns the button below a part of a page that selects it; its value is the number of the first task. */
function partButton(selection: BulkSelection, part: readonly PageRow[]): KnownBlock[] {
  const own = together(selection);
  if (!part.some(({ id }) => own.includes(id))) return [];
  const [first, last] = [part[0]?.number, part.at(-1)?.number];
  const select = button(`Select ${first}–${last}`, 'bulk.tick-part', String(first));
  return [actions(`bulk.part/${selection.step}/${first}`, [select])];
}

const rateStyles = { OK: { style: 'primary' }, REVISE: {}, NOK: { style: 'danger' } } as const;

function rateButtons(step: number): KnownBlock {
  const buttons = verdicts.map((verdict) =>
    button(`${verdict}…`, `bulk.rate.${verdict}`, verdict, {
      label: `Rate the selected tasks ${verdict}`,
      ...rateStyles[verdict],
    }),
  );
  return actions(`bulk.rate/${step}`, buttons);
}

function bottomButtons({ selection, pages }: PageData): ActionsBlock['elements'] {
  const { page } = selection;
  const count = together(selection).length;
  const these = count === 1 ? 'this one' : `these ${count}`;
  const isLast = page === pages - 1;
  return [
    ...(count > 0 && !isLast ? [button(`Select ${these}, next page`, 'bulk.tick-next', 'tick')] : []),
    ...(count > 0 ? [button(`Select ${these}`, 'bulk.tick-page', 'tick')] : []),
    ...(page > 0 ? [button('Previous', 'bulk.previous', 'previous')] : []),
    ...(isLast ? [] : [button('Next', 'bulk.next', 'next')]),
  ];
}

/** Returns whether a task can be ticked. */
export function mayTick({ task, reviewedBy }: Pick<PageRow, 'task' | 'reviewedBy'>): boolean {
  return task !== undefined && isOpen(task) && reviewedBy === undefined;
}

function rowBlocks({ selection, campaign }: PageData, row: PageRow): KnownBlock[] {
  const { task, number, id } = row;
  if (task === undefined) return [section(`*${number}.* _This task is no longer stored here._`)];
  const whole = button('See all…', 'bulk.whole', id, { label: `See all of task ${number}` });
  const text = `${rowHeading(row, task, campaign === undefined)}\n${body(row, task)}`;
  if (!mayTick(row)) return [section(text, { accessory: whole })];
  const box = option(plainWords(`${number} · ${task.worker.name ?? task.worker.id}`, 75), id);
  const isOn = isTicked(selection, { task: id, round: task.round });
  const [thumbnail] = pictureBlocks(task.proof.files, byIndex(task.pictures ?? []));
  return [
    section(text, thumbnail ? { accessory: thumbnail } : {}),
    // The step makes Slack use this view's ticks.
    actions(`bulk.row/${selection.step}/${task.round}/${id}`, [
      {
        type: 'checkboxes',
        action_id: 'bulk.tick',
        options: [box],
        ...(isOn ? { initial_options: [box] } : {}),
      },
      whole,
    ]),
  ];
}

function rowHeading({ number, campaignTitle, dueAt, record }: PageRow, task: Task, isMixed: boolean): string {
  const { worker, proof, round } = task;
  const facts = [
    isMixed ? `*${campaignName(campaignTitle, task.campaign, 80)}*` : '',
    `Worker ${inline(worker.name ?? worker.id, 40)}`,
    inline(countryName(worker.country), 40),
    round > 1 ? `round ${round}` : '',
    proof.finishedAt === undefined ? '' : date(proof.finishedAt, 'finished {date_short_pretty} at {time}'),
    dueAt === undefined ? '' : `*${date(dueAt, 'due {date_short_pretty} at {time}')}*`,
    (record && workerRecordLine(record)) ?? '',
  ];
  return `*${number}.* ${joined(facts)}`;
}

function whyClosed({ decision, rating }: Task): string {
  if (decision !== undefined && decision.state !== 'overtaken')
    return `*${decision.verdict}* by ${user(decision.by)}`;
  return rating === 'NOTREVIEWED' ? reviewedByMarketplace : `rated *${rating}* outside of Slack`;
}

function body({ evidence, reviewedBy }: PageRow, task: Task): string {
  if (!isOpen(task)) return `_No longer waiting:_ ${whyClosed(task)}.`;
  const notice =
    reviewedBy === undefined ? '' : `:eyes: ${user(reviewedBy)} is reviewing this task right now.\n`;
  const facts = factsOf(evidence).join(' · ');
  const alike = facts === '' ? '' : `\n:mag: ${capital(facts)}`;
  return `${notice}${proofExcerpt(task)}${filesOf(task)}${alike}`;
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
  const cut = slots.some((slot) => isCut(slot, each)) ? '\n_Shortened._' : '';
  return `${pieces.join('\n')}${more}${cut}`;
}

function filesOf({ proof: { files }, detailed }: Task): string {
  if (!detailed) return '\n_Open *See all…* for files._';
  if (files.length === 0) return '';
  return `\n${filesLine(files, 3)}`;
}

export const filterInput = 'filter';

/** Renders the filter form of the task list. */
export function filterView(account: AccountId, selection: BulkSelection): ModalView {
  const element = { type: 'plain_text_input', max_length: 200 } as const;
  return modal({
    callbackId: 'bulk.filter',
    title: 'Filter tasks',
    submit: 'Show tasks',
    close: 'Close',
    state: stateOf(account, selection),
    blocks: [
      input(filterInput, 'Filter', element, { isOptional: true, hint: 'Leave empty for all tasks.' }),
      context(filterHelp),
      actions(`bulk.back/${selection.step}`, [button('Back to the tasks', 'bulk.back', 'page')]),
    ],
  });
}

/** Maximum number of pictures and files, and of characters of the instructions. */
const maxPictures = 20;
const maxFiles = 20;
const instructionsShown = 1_000;

interface WholeTask {
  readonly task: Task;
  readonly campaignTitle: string;
  readonly record?: ShownRecord;
  readonly asked?: Asked | undefined;
  /** Whether files and the whole proof are still being loaded. */
  readonly isLoading?: boolean;
  /** Whether Slack has refused a picture. */
  readonly isRefused?: IsRefused;
}

/** Renders a whole task for ticking: the full proof, files, pictures, and the request. */
export function wholeTaskView(data: WholeTask): ModalView {
  const { task, campaignTitle, record, asked, isLoading = false } = data;
  return modal({
    callbackId: 'bulk.whole',
    title: 'Full task',
    close: 'Back to the list',
    blocks: [
      section(headingText({ task, campaignTitle, record })),
      ...wholeProofWithAsked(asked, task),
      ...(isLoading ? [context(':hourglass_flowing_sand: Loading files and pictures…')] : []),
      ...fileBlocks(data),
      ...(asked ? instructionsBlocks(asked, instructionsShown) : []),
    ],
  });
}

function fileBlocks({ task, isLoading = false, isRefused = () => false }: WholeTask): KnownBlock[] {
  const { files } = task.proof;
  const pictures = byIndex(withoutPictures(task, isRefused).pictures ?? []).slice(0, maxPictures);
  const missing = isLoading ? 0 : missingPictures({ ...task, pictures }).length;
  return [
    ...(files.length > 0 ? [section(filesLine(files, maxFiles))] : []),
    ...filesWarning(task.proof),
    ...(missing > 0 ? [context(missingText(missing))] : []),
    ...pictureBlocks(files, pictures),
  ];
}

/** Returns the note that nobody has seen the whole task here. */
function missingText(count: number): string {
  const [pictures, it] = count === 1 ? ['1 picture', 'it'] : [`${count} pictures`, 'them'];
  return `:warning: ${pictures} couldn’t be shown here. To see ${it}, open this task in a review or on its card.`;
}
