import type { KnownBlock, ModalView } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import type { ListedWorker, Listing, RatingCounts, WorkerRecord } from '../../domain/worker.ts';
import {
  actions,
  button,
  context,
  input,
  type Message,
  modal,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, inline, plain, user } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf, rowsPerPage } from '../../slack/paging.ts';
import { encodeWorkersBlock, type FormState, formState } from './values.ts';

/** The block in which workers of a page are chosen, to be taken off the list together. */
export const chooseBlock = 'workers.choose';
export const workersForm = 'workers.form';

const keptHere =
  'The marketplace does not show its exclude list: this one is kept here, and holds what was done in Slack only.';

/** What became of workers that were to be changed. */
export interface Changed {
  readonly change: 'exclude' | 'include';
  readonly done: readonly string[];
  /** It was so before. */
  readonly already: readonly string[];
  readonly unknown: readonly string[];
  /** @param sentence mrkdwn */
  readonly failed: readonly { readonly id: string; readonly sentence: string }[];
}

/** The exclude list of an account, a page at a time. `excluded`: those of the page; `all`: how many there are. */
export function workersMessage(list: {
  readonly account: AccountId;
  /** Every excluded worker, latest first. */
  readonly excluded: readonly ListedWorker[];
  /** What is known of the workers of the page, by id. */
  readonly records: ReadonlyMap<string, WorkerRecord>;
  readonly favorites: readonly ListedWorker[];
  /** From 0. */
  readonly page: number;
  readonly drawnAt: number;
  /** What was done just now, in mrkdwn. */
  readonly outcome?: string;
}): Message {
  const { account, excluded, records, favorites, outcome } = list;
  const { page, pages, here } = pageOf(excluded, list.page);
  const place = { account, page };
  const intro =
    excluded.length === 0
      ? '*Excluded workers*: none. Excluded workers cannot take your campaigns.'
      : `*Excluded workers*: ${excluded.length.toLocaleString('en')}. They cannot take your campaigns.`;
  const name = (id: string) => nameOf(records.get(id), id);
  const blocks: KnownBlock[] = [
    ...(outcome === undefined ? [] : [section(outcome)]),
    section(intro),
    ...here.map((worker, index) =>
      section(rowText(worker, records.get(worker.worker)), {
        block_id: encodeWorkersBlock(`workers.row${index}`, place),
        accessory: button('Take off', 'workers.include', worker.worker, {
          label: `Take ${worker.worker} off the list`,
        }),
      }),
    ),
    ...choosing(place, here, records, list.drawnAt),
    actions(encodeWorkersBlock('workers.do', place), [
      button('Exclude workers', 'workers.ask.exclude', 'form'),
      button('Take workers off', 'workers.ask.include', 'form'),
      ...(excluded.length > 0 ? [allButton()] : []),
    ]),
    ...pageButtons({
      blockId: encodeWorkersBlock('workers.pages', place),
      actionId: 'workers.page',
      page,
      pages,
    }),
    ...favoritesBlocks(favorites, name),
    context(keptHere),
  ];
  const lines = here.map((worker) => rowText(worker, records.get(worker.worker)));
  const text = [...(outcome === undefined ? [] : [outcome]), intro, ...lines].join('\n');
  return { text: cut(plain(text), limits.fallbackText), blocks };
}

function rowText({ worker, by, at }: ListedWorker, record: WorkerRecord | undefined): string {
  const who = by ? `Excluded by ${user(by)}, ${date(at)}` : `Was excluded already, seen ${date(at)}`;
  return `*${nameOf(record, worker)}*\n${recordText(record)}\n${who}`;
}

function choosing(
  place: { account: AccountId; page: number },
  here: readonly ListedWorker[],
  records: ReadonlyMap<string, WorkerRecord>,
  drawnAt: number,
): KnownBlock[] {
  const options = here
    .filter(({ worker }) => worker.length <= limits.optionValue)
    .map(({ worker }) => option([records.get(worker)?.name, worker].filter(Boolean).join(' · '), worker));
  if (options.length < 2) return [];
  return [
    section('Take several off the list:', {
      block_id: `${chooseBlock}/${drawnAt.toString(36)}`,
      accessory: {
        type: 'multi_static_select',
        action_id: 'workers.chosen',
        placeholder: plainText('Choose workers'),
        options,
      },
    }),
    actions(encodeWorkersBlock('workers.several', place), [
      button('Take chosen off', 'workers.include.chosen', 'chosen'),
    ]),
  ];
}

function allButton() {
  return button('Take all off', 'workers.include.all', 'all', {
    style: 'danger',
    confirm: {
      title: plainText('Take all workers off?', 100),
      text: plainText(
        'The whole exclude list of the account is cleared at the marketplace, also what was put on it on the website. It cannot be brought back.',
        300,
      ),
      confirm: plainText('Take all off', 30),
      deny: plainText('Keep the list', 30),
      style: 'danger',
    },
  });
}

function favoritesBlocks(favorites: readonly ListedWorker[], name: (id: string) => string): KnownBlock[] {
  if (favorites.length === 0) return [];
  const shown = favorites.slice(0, rowsPerPage).map(({ worker }) => name(worker));
  const more = favorites.length > shown.length ? ` and ${favorites.length - shown.length} more` : '';
  return [context(`*Favorites*, as set with ratings in Slack: ${shown.join(', ')}${more}`)];
}

/** What is known of one worker, with the way to exclude them. */
export interface WorkerState {
  readonly account: AccountId;
  readonly record: WorkerRecord;
  readonly exclusion?: Listing | undefined;
  readonly favorite?: Listing | undefined;
}

export function workerMessage({ outcome, ...state }: WorkerState & { readonly outcome?: string }): Message {
  const { account, record, exclusion } = state;
  const lines = stateLines(state);
  const change = exclusion
    ? button('Take off the exclude list', 'workers.one.include', record.id)
    : button('Exclude', 'workers.one.exclude', record.id, { style: 'danger' });
  const blocks: KnownBlock[] = [
    ...(outcome === undefined ? [] : [section(outcome)]),
    section(lines.join('\n')),
    actions(encodeWorkersBlock('workers.one', { account, page: 0 }), [change]),
    context(keptHere),
  ];
  const text = [...(outcome === undefined ? [] : [outcome]), ...lines].join('\n');
  return { text: cut(plain(text), limits.fallbackText), blocks };
}

/** From a card: what is known of its worker, and excluding them or taking them off the list. */
export function workerModal(state: WorkerState, channel: string | undefined): ModalView {
  const { account, record, exclusion } = state;
  const change = exclusion ? 'include' : 'exclude';
  const effect = exclusion
    ? 'Off the list, the worker can take your campaigns again.'
    : 'Excluded workers cannot take your campaigns any more. Tasks they have handed in stay as they are.';
  return modal({
    callbackId: workersForm,
    title: exclusion ? 'Excluded worker' : 'Exclude this worker',
    submit: exclusion ? 'Take off the list' : 'Exclude',
    state: formState.encode({ account, worker: record.id, change, ...(channel ? { channel } : {}) }),
    blocks: [section(stateLines(state).join('\n')), section(effect), context(keptHere)],
  });
}

function stateLines({ record, exclusion, favorite }: WorkerState): string[] {
  return [
    `*${nameOf(record, record.id)}*`,
    recordText(record),
    ...(exclusion
      ? [
          exclusion.by
            ? `Excluded by ${user(exclusion.by)}, ${date(exclusion.at)}`
            : `Was excluded already, seen ${date(exclusion.at)}`,
        ]
      : []),
    ...(favorite?.by ? [`Made a favorite by ${user(favorite.by)}, ${date(favorite.at)}`] : []),
  ];
}

const formWords = {
  exclude: {
    title: 'Exclude workers',
    submit: 'Exclude',
    effect: 'Excluded workers cannot take your campaigns any more.',
  },
  include: {
    title: 'Take workers off',
    submit: 'Take off the list',
    effect:
      'Off the list, they can take your campaigns again. Those excluded on the website can be named too.',
  },
} as const;

/** The form that asks for the ids of workers to exclude, or to take off the list. */
export function idsForm(state: FormState): ModalView {
  const { title, submit, effect } = formWords[state.change];
  return modal({
    callbackId: workersForm,
    title,
    submit,
    state: formState.encode(state),
    blocks: [
      input(
        'ids',
        'Worker ids',
        { type: 'plain_text_input', multiline: true, max_length: limits.inputText, focus_on_load: true },
        { hint: 'Separate several by spaces, commas or lines. A card shows the id of its worker.' },
      ),
      context(effect),
    ],
  });
}

/** While workers are being changed. */
export function changingView(done: number, all: number): ModalView {
  return noteView(`Telling the marketplace: ${done} of ${all} done…`);
}

/** A modal that only says something. @param text mrkdwn */
export function noteView(text: string): ModalView {
  return modal({ callbackId: 'workers.note', title: 'Excluded workers', blocks: [section(text)] });
}

/** What became of workers that were to be changed, in mrkdwn. */
export function changedSentence({ change, done, already, unknown, failed }: Changed): string {
  const isExclude = change === 'exclude';
  const lines = [
    ...(done.length > 0
      ? [`:white_check_mark: ${isExclude ? 'Excluded' : 'Taken off the exclude list'}: ${names(done)}.`]
      : []),
    ...(already.length > 0
      ? [
          isExclude
            ? `On the exclude list already: ${names(already)}.`
            : `Not on the exclude list, so there was nothing to take off: ${names(already)}.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `:warning: The marketplace added nobody for ${names(unknown)}: they are unknown there, or on the list already. Check the ids.`,
        ]
      : []),
    ...failed.slice(0, 10).map(({ id, sentence }) => `:warning: Not changed: ${inline(id, 60)}. ${sentence}`),
    ...(failed.length > 10 ? [`and ${failed.length - 10} more that were not changed.`] : []),
  ];
  return cut(lines.join('\n'), limits.sectionText);
}

function names(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).map((id) => inline(id, 60));
  return shown.join(', ') + (ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '');
}

/** The whole list was cleared. @param count how many the marketplace took off; undefined: it did not say */
export function clearedSentence(count: number | undefined): string {
  if (count === 0) return 'There was nobody on the exclude list.';
  if (count === undefined) return ':white_check_mark: The exclude list is empty now.';
  return `:white_check_mark: ${count === 1 ? '1 worker was' : `${count} workers were`} taken off. The exclude list is empty now.`;
}

export const nobodyChosen = 'Choose the workers first, then take them off the list.';

function nameOf(record: WorkerRecord | undefined, id: string): string {
  return record?.name ? `${inline(record.name, 60)} (${inline(id, 60)})` : inline(id, 60);
}

/** A worker's tasks by rating over all campaigns, in words. */
function recordText(record: WorkerRecord | undefined): string {
  if (record === undefined || record.campaigns === 0) return 'No tasks of theirs were seen here.';
  const { counts, campaigns } = record;
  const parts = countWords.flatMap(([rating, words]) =>
    counts[rating] > 0 ? [`${counts[rating].toLocaleString('en')} ${words}`] : [],
  );
  return `${parts.join(' · ')}, in ${campaigns === 1 ? '1 campaign' : `${campaigns.toLocaleString('en')} campaigns`}`;
}

const countWords: readonly (readonly [keyof RatingCounts, string])[] = [
  ['OK', 'OK'],
  ['NOK', 'NOK'],
  ['REVISE', 'to be corrected'],
  ['NOTRATED', 'waiting'],
  ['NOTREVIEWED', 'not reviewed yet'],
];
