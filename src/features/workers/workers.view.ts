import type { KnownBlock } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import type { ListedWorker, WorkerRecord } from '../../domain/worker.ts';
import {
  actions,
  button,
  confirmation,
  context,
  limits,
  type Message,
  option,
  section,
} from '../../slack/blocks.ts';
import { pageButtons, pageOf, rowsPerPage } from '../../slack/paging.ts';
import { listMessage, rowSelect } from '../../ui/list.view.ts';
import { number } from '../../ui/words.ts';
import { type WorkersList, workersListCodec } from './list-state.ts';
import { confirmRemoval, exclusionText, mirrorNote, recordText, workerName } from './worker.view.ts';

/** Returns one page of an account's exclude list. */
export function workersMessage(list: {
  readonly account: AccountId;
  /** Every excluded worker, latest first. */
  readonly excluded: readonly ListedWorker[];
  /** Known records of the page's workers, by id. */
  readonly records: ReadonlyMap<string, WorkerRecord>;
  readonly favorites: readonly ListedWorker[];
  /** From 0. */
  readonly page: number;
  readonly renderedAt: number;
  /** Outcome of the last action, in mrkdwn. */
  readonly outcome?: string;
}): Message {
  const { account, excluded, records, favorites, outcome } = list;
  const { page, pages, here } = pageOf(excluded, list.page);
  const shown = { account, page };
  const rows = here.map((worker) => rowText(worker, records.get(worker.worker)));
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
      ...removeSeveral(shown, here, records, list.renderedAt),
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

function rowText({ worker, ...exclusion }: ListedWorker, record: WorkerRecord | undefined): string {
  return `*${workerName(record, worker)}*\n${recordText(record)}\n${exclusionText(exclusion)}`;
}

function removeSeveral(
  shown: WorkersList,
  here: readonly ListedWorker[],
  records: ReadonlyMap<string, WorkerRecord>,
  renderedAt: number,
): KnownBlock[] {
  const options = here
    .filter(({ worker }) => worker.length <= limits.optionValue)
    .map(({ worker }) => option([records.get(worker)?.name, worker].filter(Boolean).join(' · '), worker));
  if (options.length < 2) return [];
  const blockId = `workers.choose/${renderedAt.toString(36)}`;
  return [
    rowSelect({
      text: 'Remove several from the list:',
      blockId,
      actionId: 'workers.chosen',
      placeholder: 'Choose workers',
      options,
    }),
    actions(workersListCodec.encode('workers.several', shown), [
      // Names the select it belongs to, so that choices from before a re-render do not count.
      button('Remove chosen', 'workers.include.chosen', blockId, {
        confirm: confirmation({
          title: 'Remove the chosen workers from the list?',
          text: 'Every worker chosen here can take your campaigns again.',
          confirm: 'Remove chosen',
          deny: 'Keep excluded',
        }),
      }),
    ]),
  ];
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
