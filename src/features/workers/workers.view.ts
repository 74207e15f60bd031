import type { Button, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { AccountId } from '../../domain/terms.ts';
import type { ListedWorker, Listing, WorkerRecord } from '../../domain/worker.ts';
import {
  actions,
  button,
  confirmation,
  context,
  type Message,
  pageButtons,
  pageOf,
  section,
} from '../../slack/blocks.ts';
import { code, date, inline, user } from '../../slack/mrkdwn.ts';
import { blockStateCodec, listMessage, pageField } from '../../ui/list.view.ts';
import { counted, nameWithId, number, plainNameWithId } from '../../ui/words.ts';
import { type WorkerHistory, workerHistoryLines, workerRecordLine } from '../../ui/worker.view.ts';
import { allTasksButton } from '../find/public.ts';

/** State of a list: the account and the page. */
const workersList = z.object({ account: AccountId.min(1), page: pageField });
export type WorkersList = z.infer<typeof workersList>;

export const workersListCodec = blockStateCodec(workersList);

/**
 * Returns one page of an account's exclude list. @param excluded every excluded worker, latest first
 * @param records of the page's workers
 * @param outcome of the last action, in mrkdwn
 */
export function workersMessage(
  { account, page: wanted }: WorkersList,
  excluded: readonly ListedWorker[],
  records: readonly WorkerRecord[],
  outcome?: string,
): Message {
  const { page, pages, here } = pageOf(excluded, wanted);
  const shown = { account, page };
  const recordOf = (worker: string) => records.find(({ id }) => id === worker);
  const rows = here.map(({ worker, ...exclusion }) => {
    const record = recordOf(worker);
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
            confirm: confirmRemoval(recordOf(worker), worker),
          }),
        }),
      ),
      ...(excluded.length > 0
        ? [actions(workersListCodec.encode('workers.do', shown), [removeAllButton()])]
        : []),
      ...pageButtons({
        blockId: workersListCodec.encode('workers.pages', shown),
        actionId: 'workers.page',
        page,
        pages,
      }),
      context(`To exclude a worker, type \`/proofdesk workers\` and their id. ${mirrorNote}`),
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

/** Note wherever the exclude list is shown. */
const mirrorNote =
  'The marketplace does not show its exclude list. Proofdesk knows only the workers who were excluded in Slack, or were found to be excluded already.';

/** Facts about one worker. */
export interface WorkerProfile {
  readonly account: AccountId;
  readonly record: WorkerRecord;
  readonly exclusion?: Listing | undefined;
  /** Their record by campaign and by reason; absent if unknown. */
  readonly history?: WorkerHistory;
}

/** Returns whether anything is known of a worker. */
export function isKnown({ record, exclusion }: WorkerProfile): boolean {
  return record.campaigns > 0 || exclusion !== undefined;
}

export const unknownWorker =
  'No tasks from this worker have been seen here. Give one id or name at a time, as on a card.';

/** Says that a name is not enough. */
export function severalNamed(name: string, ids: readonly string[]): string {
  const commands = ids.slice(0, 10).map((id) => `\n• ${code(`/proofdesk workers ${id}`)}`);
  return `${ids.length} workers are called “${inline(name, 80)}”. Look one up by id:${commands.join('')}`;
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

function profileText({ record, exclusion, history }: WorkerProfile): string {
  return [
    `*${workerName(record, record.id)}*`,
    recordText(record),
    ...(history ? workerHistoryLines(history) : []),
    ...(exclusion ? [exclusionText(exclusion)] : []),
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

export type Change = 'exclude' | 'include';

/** Returns the outcome of changing the exclude list, in mrkdwn. @param outcome `already`: nothing had to be changed */
export function changedText(change: Change, outcome: 'done' | 'already', id: string): string {
  const { done, already } = resultWords[change];
  return outcome === 'done' ? `:white_check_mark: ${done}: ${inline(id, 60)}.` : already;
}

const resultWords = {
  exclude: {
    done: 'Excluded',
    already: 'Already on the exclude list, or unknown to the marketplace (check the id).',
  },
  include: { done: 'Removed from the exclude list', already: 'Not on the exclude list.' },
} as const;

/** Returns that a call failed. @param sentence mrkdwn */
export function notChanged(sentence: string): string {
  return `:warning: Not changed. ${sentence}`;
}

export const unclear = 'The marketplace gave no clear answer. Try again: nobody is changed twice.';

/** Returns the outcome of clearing the list. @param count number removed; undefined: the marketplace did not say */
export function clearedText(count: number | undefined): string {
  const removed = count === undefined ? '' : ` ${counted(count, 'worker')} removed.`;
  return `:white_check_mark: The exclude list is empty now.${removed}`;
}
