import type { ActionsBlock, InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import {
  type BulkItem,
  maxBulk,
  tasksPerPage,
  tasksPerPart,
  type tickedCounts,
} from '../../domain/bulk-selection.ts';
import type { Asked } from '../../domain/campaign.ts';
import { countryName } from '../../domain/evidence/likeness.ts';
import type { FocusFilter } from '../../domain/focus.ts';
import { byIndex, missingPictures, withoutPictures } from '../../domain/picture.ts';
import { isOpen, slotNumber, type Task } from '../../domain/task.ts';
import { AccountId, type CampaignId, type MemberId, type TaskId, verdicts } from '../../domain/terms.ts';
import type { ShownRecord } from '../../domain/worker.ts';
import {
  actions,
  button,
  context,
  input,
  modal,
  option,
  plainText,
  plainWords,
  section,
} from '../../slack/blocks.ts';
import type { IsRefused } from '../../slack/files.ts';
import { chosen, codec, typed, type Values } from '../../slack/form-values.ts';
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

/** State of every view of a selection. */
export const selectionState = codec(
  'form',
  z.object({ account: AccountId, selection: z.string(), step: z.number() }),
  'Select the tasks again.',
);
export type SelectionState = ReturnType<typeof selectionState.decode>;

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
  readonly evidence?: readonly AlikeTask[];
  /** Whether it looks like others, so that it is ticked only by itself. */
  readonly isAlike?: boolean;
  readonly isTicked: boolean;
  /** The colleague who is looking at it. */
  readonly reviewedBy?: MemberId | undefined;
}

export interface PageData {
  readonly state: SelectionState;
  /** The filter in mrkdwn; '' for none. */
  readonly label: string;
  readonly page: number;
  readonly pages: number;
  readonly listed: number;
  readonly unlisted: number;
  readonly ticked: ReturnType<typeof tickedCounts>;
  readonly rows: readonly PageRow[];
  /** What the tasks ask for, if the whole page belongs to one campaign. */
  readonly asked?: Asked | undefined;
  /** Title of that campaign. */
  readonly campaign?: string | undefined;
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
    ...(isEmpty ? {} : { submit: 'Rate…' }),
    close: 'Close',
    state: selectionState.encode(state),
    blocks: [
      ...notices.map((text) => section(text)),
      section(isEmpty ? nothing(data) : heading(data)),
      ...(isEmpty ? [] : [context(tickedLine(data))]),
      ...alikeLine(data),
      actions(`bulk.top/${state.step}`, [
        button('Filter…', 'bulk.filter', 'filter'),
        ...(data.ticked.all > 0 ? [button('Deselect all', 'bulk.clear', 'all')] : []),
      ]),
      ...(asked === undefined || asked.proofs.length === 0
        ? []
        : [context(`Asked for: ${inline(asked.proofs.join(' / '), askedShown)}`)]),
      ...rows.flatMap((row, index) => [...rowBlocks(data, row), ...partButton(data, index)]),
      ...(isEmpty || bottom.length === 0 ? [] : [actions(`bulk.bottom/${state.step}`, bottom)]),
      ...(isEmpty ? [] : [rateButtons(state.step)]),
    ],
  });
}

function nothing({ label, ticked }: PageData): string {
  const what = label === '' ? 'No tasks are waiting for review.' : `No waiting tasks match: ${label}.`;
  return ticked.all === 0
    ? what
    : `${what} ${counted(ticked.all, 'task')} outside of this filter ${ticked.all === 1 ? 'is' : 'are'} selected.`;
}

function heading({ label, campaign, page, rows, listed, unlisted }: PageData): string {
  const first = rows[0]?.number ?? page + 1;
  const last = rows.at(-1)?.number ?? first;
  const which = first === last ? `Task ${first}` : `Tasks ${first}–${last}`;
  const total = number(listed + unlisted);
  const what = joined([...new Set([campaign === undefined ? '' : `*${inline(campaign)}*`, label])]);
  const more = unlisted > 0 ? ` The ${number(listed)} most urgent are listed.` : '';
  return `${what === '' ? '' : `${what}\n`}${which} of ${total} waiting.${more}`;
}

function tickedLine({ ticked: { all, here, unlisted } }: PageData): string {
  const elsewhere = all - here - unlisted;
  const parts = [
    here > 0 ? `${here} selected on this page` : 'None selected on this page',
    ...(elsewhere > 0 ? [`*${number(elsewhere)}* on other pages`] : []),
    ...(unlisted > 0 ? [`*${number(unlisted)}* outside of this filter`] : []),
  ];
  return `${parts.join(' · ')}. Up to ${maxBulk} can be rated together.`;
}

function alikeLine({ rows }: PageData): KnownBlock[] {
  const count = rows.filter((row) => row.isAlike && mayTick(row)).length;
  if (count === 0) return [];
  return [
    context(
      `:mag: ${counted(count, 'task')} on this page ${count === 1 ? 'looks' : 'look'} like others. The Select buttons skip ${count === 1 ? 'it: tick it yourself' : 'them: tick them one by one'}.`,
    ),
  ];
}

/** Returns the button below each part of a page that selects it; nothing below the last one. */
function partButton({ state, page, rows }: PageData, index: number): KnownBlock[] {
  const from = index + 1 - tasksPerPart;
  if ((index + 1) % tasksPerPart > 0 || index === rows.length - 1) return [];
  if (!rows.slice(from, index + 1).some((row) => mayTick(row) && !row.isAlike)) return [];
  const text = `Select ${rows[from]?.number}–${rows[index]?.number}`;
  const value = String(page * tasksPerPage + from);
  return [actions(`bulk.part/${state.step}/${from}`, [button(text, 'bulk.tick-part', value)])];
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

function bottomButtons(data: PageData): ActionsBlock['elements'] {
  const { page, pages, rows } = data;
  const count = rows.filter((row) => mayTick(row) && !row.isAlike).length;
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

function rowBlocks({ state, campaign }: PageData, row: PageRow): KnownBlock[] {
  const { task, number, id } = row;
  if (task === undefined) return [section(`*${number}.* _This task is no longer stored here._`)];
  const whole = button('See all…', 'bulk.whole', id, { label: `See all of task ${number}` });
  const text = `${rowHeading(row, campaign === undefined)}\n${body(row, task)}`;
  if (!mayTick(row)) return [section(text, { accessory: whole })];
  const box = option(plainWords(`${number} · ${task.worker.name ?? task.worker.id}`, 75), id);
  const [thumbnail] = pictureBlocks(task.proof.files, byIndex(task.pictures ?? []));
  return [
    section(text, thumbnail ? { accessory: thumbnail } : {}),
    actions(rowBlock(state.step, { task: id, round: task.round }), [
      {
        type: 'checkboxes',
        action_id: 'bulk.tick',
        options: [box],
        ...(row.isTicked ? { initial_options: [box] } : {}),
      },
      whole,
    ]),
  ];
}

function rowHeading({ number, task, campaignTitle, dueAt, record }: PageRow, isMixed: boolean): string {
  if (task === undefined) return '';
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

function evidenceLine({ evidence = [] }: PageRow): string {
  const facts = factsOf(evidence);
  return facts.length === 0 ? '' : `\n:mag: ${capital(facts.join(' · '))}`;
}

function body(row: PageRow, task: Task): string {
  const { reviewedBy } = row;
  if (!isOpen(task)) return `_No longer waiting:_ ${whyClosed(task)}.`;
  const notice =
    reviewedBy === undefined ? '' : `:eyes: ${user(reviewedBy)} is reviewing this task right now.\n`;
  return `${notice}${proofExcerpt(task)}${filesOf(task)}${evidenceLine(row)}`;
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

const inputs = {
  campaign: 'campaign',
  worker: 'worker',
  country: 'country',
  text: 'text',
  waiting: 'waiting',
} as const;

const hourMs = 3_600_000;
const waitingTimes = [
  ['1 hour', hourMs],
  ['6 hours', 6 * hourMs],
  ['12 hours', 12 * hourMs],
  ['1 day', 24 * hourMs],
  ['2 days', 48 * hourMs],
  ['3 days', 72 * hourMs],
  ['5 days', 120 * hourMs],
  ['7 days', 168 * hourMs],
  ['14 days', 336 * hourMs],
] as const;
const any = 'any';

/** A campaign, with the number of its waiting tasks. */
interface CampaignChoice {
  readonly id: CampaignId;
  readonly title: string;
  readonly waiting: number;
}

/** The button that returns from a form to the page of tasks. */
export function backToPage(step: number): KnownBlock {
  return actions(`bulk.back/${step}`, [button('Back to the tasks', 'bulk.back', 'page')]);
}

/** Returns a campaign with its number of waiting tasks. @param told what tells it apart from others of its title */
export function campaignOption({ id, title, waiting }: CampaignChoice, told?: string): PlainTextOption {
  return option(`${title} (${number(waiting)})`, id, told);
}

/** Renders the filter form of the task list. @param campaign the one that is filtered by, if it is one */
export function filterView(
  state: SelectionState,
  filter: FocusFilter,
  campaign: CampaignChoice | undefined,
): ModalView {
  const anyTime = option('Any time', any);
  const times = waitingTimes.map(([words, ms]) => option(`At least ${words}`, String(ms)));
  return modal({
    callbackId: 'bulk.filter',
    title: 'Filter tasks',
    submit: 'Show tasks',
    close: 'Close',
    state: selectionState.encode(state),
    blocks: [
      input(
        inputs.campaign,
        'Campaign',
        {
          type: 'external_select',
          placeholder: plainText('All campaigns'),
          min_query_length: 0,
          ...(campaign === undefined ? {} : { initial_option: campaignOption(campaign) }),
        },
        { isOptional: true, actionId: 'bulk.filter.campaign', hint: 'Leave empty for all campaigns.' },
      ),
      input(inputs.worker, 'Worker (name or id)', textInput(filter.worker), { isOptional: true }),
      input(inputs.country, 'Country', textInput(filter.country), { isOptional: true }),
      input(inputs.text, 'Text in the proof', textInput(filter.text), { isOptional: true }),
      input(inputs.waiting, 'Waiting for', {
        type: 'static_select',
        options: [anyTime, ...times],
        initial_option: times.find(({ value }) => value === String(filter.waitingMs)) ?? anyTime,
      }),
      backToPage(state.step),
    ],
  });
}

function textInput(current: string | undefined): InputBlock['element'] {
  return { type: 'plain_text_input', max_length: 200, ...(current ? { initial_value: current } : {}) };
}

/** Returns the filter chosen in a form, without its label. */
export function filterIn(
  values: Values,
): Omit<FocusFilter, 'label' | 'campaigns'> & { readonly campaign?: string } {
  const [campaign, waiting] = [chosen(values, inputs.campaign), chosen(values, inputs.waiting)];
  const [worker, country, text] = [inputs.worker, inputs.country, inputs.text].map((name) =>
    typed(values, name),
  );
  return {
    ...(campaign === undefined ? {} : { campaign }),
    ...(worker ? { worker } : {}),
    ...(country ? { country } : {}),
    ...(text ? { text } : {}),
    ...(waiting === undefined || waiting === any ? {} : { waitingMs: Number(waiting) }),
  };
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
      section(headingText({ task, campaignTitle }, record)),
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
