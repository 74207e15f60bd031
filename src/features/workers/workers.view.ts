import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { AccountId } from '../../domain/terms.ts';
import type { ListedWorker, Listing, WorkerRecord } from '../../domain/worker.ts';
import {
  actions,
  button,
  confirmation,
  context,
  limits,
  type Message,
  modal,
  pageButtons,
  pageOf,
  rowsPerPage,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { codec } from '../../slack/form-values.ts';
import { code, cut, date, inline, user } from '../../slack/mrkdwn.ts';
import { blockStateCodec, idsInput, listMessage, pageField } from '../../ui/list.view.ts';
import { counted, idList, nameWithId, number, plainNameWithId } from '../../ui/words.ts';
import { type WorkerHistory, workerHistoryLines, workerRecordLine } from '../../ui/worker.view.ts';
import { allTasksButton } from '../find/public.ts';

/** State of a list: the account and the page. */
const workersList = z.object({ account: AccountId.min(1), page: pageField });
export type WorkersList = z.infer<typeof workersList>;

export const workersListCodec = blockStateCodec(workersList);

/** State of the form for ids: the account, where to answer, and the page of the list there. */
const formState = z.object({
  account: AccountId,
  origin: Origin,
  page: z.number(),
  /** Whether submitting adds workers to the exclude list or removes them. */
  change: z.enum(['exclude', 'include']),
});
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec('form', formState, 'Open the list again: `/proofdesk workers`.');

interface ListedWorkers {
  /** Every excluded worker, latest first. */
  readonly excluded: readonly ListedWorker[];
  readonly favorites: readonly ListedWorker[];
  /** Known records of the page's workers, by id. */
  readonly records: ReadonlyMap<string, WorkerRecord>;
}

/** Returns one page of an account's exclude list. @param outcome of the last action, in mrkdwn */
export function workersMessage(
  { account, page: wanted }: WorkersList,
  { excluded, favorites, records }: ListedWorkers,
  outcome?: string,
): Message {
  const { page, pages, here } = pageOf(excluded, wanted);
  const shown = { account, page };
  const rows = here.map(({ worker, ...exclusion }) => {
    const record = records.get(worker);
    return `*${workerName(record, worker)}*\n${recordText(record)}\n${exclusionText(exclusion)}`;
  });
  return listMessage({
    outcome,
    intro:
      excluded.length === 0
        ? '*Excluded workers*: none. Excluded workers cannot take your campaigns.'
        : `*Excluded workers*: ${number(excluded.length)}. They cannot take your campaigns.`,
    blocks: [
      ...here.map(({ worker }, index) =>
        section(rows[index] ?? '', {
          block_id: workersListCodec.encode(`workers.row${index}`, shown),
          accessory: button('Remove', 'workers.include', worker, {
            label: `Remove ${worker} from the list`,
            confirm: confirmRemoval(records.get(worker), worker),
          }),
        }),
      ),
      actions(workersListCodec.encode('workers.do', shown), [
        button('Exclude by id', 'workers.ask.exclude', 'form'),
        button('Remove by id', 'workers.ask.include', 'form'),
        ...(excluded.length > 0 ? [removeAllButton()] : []),
      ]),
      ...pageButtons({
        blockId: workersListCodec.encode('workers.pages', shown),
        actionId: 'workers.page',
        page,
        pages,
      }),
      ...favoritesBlocks(favorites, records),
      context(mirrorNote),
    ],
    rows,
  });
}

function removeAllButton() {
  return button('Remove all', 'workers.include.all', 'all', {
    style: 'danger',
    confirm: confirmation({
      title: 'Remove all workers from the list?',
      text: 'This clears the account’s whole exclude list at the marketplace, including workers excluded on the website. It cannot be undone.',
      confirm: 'Remove all',
      deny: 'Keep the list',
      isDanger: true,
    }),
  });
}

function favoritesBlocks(
  favorites: readonly ListedWorker[],
  records: ReadonlyMap<string, WorkerRecord>,
): KnownBlock[] {
  if (favorites.length === 0) return [];
  const shown = favorites.slice(0, rowsPerPage).map(({ worker }) => workerName(records.get(worker), worker));
  const more = favorites.length > shown.length ? ` and ${favorites.length - shown.length} more` : '';
  return [context(`*Favorites*, as set with ratings in Slack: ${shown.join(', ')}${more}`)];
}

/** Note wherever the exclude list is shown. */
const mirrorNote =
  'The marketplace does not show its exclude list. Proofdesk knows only the workers who were excluded in Slack, or were found to be excluded already.';

/** Facts about one worker. */
export interface WorkerProfile {
  readonly account: AccountId;
  readonly record: WorkerRecord;
  readonly exclusion?: Listing | undefined;
  readonly favorite?: Listing | undefined;
  /** Their record by campaign, by reason and over time; absent if unknown. */
  readonly history?: WorkerHistory;
}

/** Returns whether anything is known of a worker. */
export function isKnown({ record, exclusion, favorite }: WorkerProfile): boolean {
  return record.campaigns > 0 || exclusion !== undefined || favorite !== undefined;
}

export const unknownWorker =
  'No tasks from this worker have been seen here. Give one id or name at a time, as on a card. To exclude an id that is not known here, type `/proofdesk workers` and use *Exclude by id*.';

/** Says that a name is not enough. */
export function severalNamed(name: string, ids: readonly string[]): string {
  const commands = ids.slice(0, 10).map((id) => `\n• ${code(`/proofdesk workers ${id}`)}`);
  return `${ids.length} workers are called “${inline(name.trim(), 80)}”. Look one up by id:${commands.join('')}`;
}

/** Returns a worker's facts, and below them a button that excludes them or removes them from the list. */
export function workerMessage({
  outcome,
  ...profile
}: WorkerProfile & { readonly outcome?: string }): Message {
  const { account, record, exclusion } = profile;
  const change = exclusion
    ? button('Remove from exclude list', 'workers.one.include', record.id, {
        confirm: confirmRemoval(record, record.id),
      })
    : button('Exclude worker', 'workers.one.exclude', record.id, {
        style: 'danger',
        confirm: confirmExclusion(record, record.id),
      });
  const blocks: KnownBlock[] = [
    actions(workersListCodec.encode('workers.one', { account, page: 0 }), [
      change,
      allTasksButton(account, record.id),
    ]),
    context(mirrorNote),
  ];
  return listMessage({ outcome, intro: profileText(profile), blocks, rows: [] });
}

function profileText({ record, exclusion, favorite, history }: WorkerProfile): string {
  return [
    `*${workerName(record, record.id)}*`,
    recordText(record),
    ...(history ? workerHistoryLines(history) : []),
    ...(exclusion ? [exclusionText(exclusion)] : []),
    ...(favorite?.by ? [`Made a favorite by ${user(favorite.by)}, ${date(favorite.at)}`] : []),
  ].join('\n');
}

/** Returns who excluded a worker, and when. */
function exclusionText({ by, at }: Listing): string {
  return by
    ? `Excluded by ${user(by)}, ${date(at)}`
    : `Already excluded at the marketplace, seen ${date(at)}`;
}

/** Returns the confirmation before a worker is removed from the exclude list. */
function confirmRemoval(record: WorkerRecord | undefined, id: string): NonNullable<Button['confirm']> {
  return confirmation({
    title: 'Remove this worker from the list?',
    text: `${plainNameWithId(record?.name ?? '', id)} can take your campaigns again.`,
    confirm: 'Remove',
    deny: 'Keep excluded',
  });
}

function confirmExclusion(record: WorkerRecord, id: string): NonNullable<Button['confirm']> {
  return confirmation({
    title: 'Exclude this worker?',
    text: `${plainNameWithId(record.name ?? '', id)} can no longer take your campaigns. Tasks already submitted stay as they are.`,
    confirm: 'Exclude',
    deny: 'Do not exclude',
    isDanger: true,
  });
}

/** Returns a worker's name and id, in mrkdwn. */
function workerName(record: WorkerRecord | undefined, id: string): string {
  return nameWithId(record?.name ?? '', id);
}

/** Returns a worker's tasks by rating over all campaigns, in words. */
function recordText(record: WorkerRecord | undefined): string {
  return (record && workerRecordLine(record)) ?? 'No tasks from this worker have been seen here.';
}

const formWords = {
  exclude: {
    title: 'Exclude workers',
    submit: 'Exclude',
    effect: 'Excluded workers can no longer take your campaigns.',
  },
  include: {
    title: 'Remove from exclude list',
    submit: 'Remove',
    effect:
      'Once removed, workers can take your campaigns again. This works for workers excluded on the website, too.',
  },
} as const;

/** Returns the form for ids of workers to exclude, or to remove from the exclude list. */
export function idsModal(state: FormState): ModalView {
  const { title, submit, effect } = formWords[state.change];
  return modal({
    callbackId: 'workers.form',
    title,
    submit,
    state: formStateCodec.encode(state),
    blocks: [idsInput('Worker ids', ' Details… in a card’s menu shows the id.'), context(effect)],
  });
}

/** Outcome of changing the exclude list, by worker id. */
export interface ChangeResult {
  readonly change: 'exclude' | 'include';
  readonly done: readonly string[];
  /** Nothing had to be changed. */
  readonly already: readonly string[];
  /** Not applied, or not known. @param sentence mrkdwn */
  readonly failed: readonly {
    readonly of: string;
    readonly sentence: string;
    readonly isUnsure: boolean;
  }[];
}

/** Returns the modal with the progress of changing workers. */
export function progressModal(done: number, all: number): ModalView {
  return statusModal(`Updating the exclude list: ${done} of ${all} done…`);
}

/** Returns the modal that replaces a submitted form. @param text mrkdwn */
export function statusModal(text: string): ModalView {
  return modal({ callbackId: 'workers.note', title: 'Excluded workers', blocks: [section(text)] });
}

/** Returns the outcome of changing the exclude list, in mrkdwn. */
export function changeResultText(result: ChangeResult): string {
  const { change, done, already, failed } = result;
  const words = resultWords[change];
  const unsure = failed.filter(({ isUnsure }) => isUnsure).map(({ of }) => of);
  const refused = failed.filter(({ isUnsure }) => !isUnsure);
  const lines = [
    ...(done.length > 0 ? [`:white_check_mark: ${words.done}: ${idList(done)}.`] : []),
    ...(already.length > 0 ? [`${words.already}: ${idList(already)}.`] : []),
    ...(unsure.length > 0
      ? [
          `:warning: The marketplace gave no clear answer for ${idList(unsure)}. Try again: nobody is changed twice.`,
        ]
      : []),
    ...refused
      .slice(0, 10)
      .map(({ of, sentence }) => `:warning: Not changed: ${inline(of, 60)}. ${sentence}`),
    ...(refused.length > 10 ? [`and ${refused.length - 10} more were not changed.`] : []),
  ];
  return cut(lines.join('\n'), limits.sectionText);
}

const resultWords = {
  exclude: {
    done: 'Excluded',
    already: 'Already on the exclude list, or unknown to the marketplace (check the ids)',
  },
  include: { done: 'Removed from the exclude list', already: 'Not on the exclude list' },
} as const;

/** Returns the outcome of clearing the list. @param count number removed; undefined: the marketplace did not say */
export const clearedUnclear =
  'The marketplace gave no clear answer. Press *Remove all* again: nobody is changed twice.';

export function clearedText(count: number | undefined): string {
  const removed = count === undefined ? '' : ` ${counted(count, 'worker')} removed.`;
  return `:white_check_mark: The exclude list is empty now.${removed}`;
}
