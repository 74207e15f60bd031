import type { KnownBlock } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import type { ListedWorker, WorkerRecord } from '../../domain/worker.ts';
import { actions, button, context, type Message, option, plainText, section } from '../../slack/blocks.ts';
import { confirmation } from '../../slack/confirmation.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, plain, user } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf, rowsPerPage } from '../../slack/paging.ts';
import { encodeWorkersBlock } from './values.ts';
import { askTakeOff, keptHere, nameOf, recordText } from './worker.view.ts';

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
          confirm: askTakeOff(records.get(worker.worker), worker.worker),
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
  const blockId = `workers.choose/${drawnAt.toString(36)}`;
  return [
    section('Take several off the list:', {
      block_id: blockId,
      accessory: {
        type: 'multi_static_select',
        action_id: 'workers.chosen',
        placeholder: plainText('Choose workers'),
        options,
      },
    }),
    actions(encodeWorkersBlock('workers.several', place), [
      // It names its own choice: one made before the list was drawn anew does not count.
      button('Take chosen off', 'workers.include.chosen', blockId, {
        confirm: confirmation({
          title: 'Take the chosen workers off the list?',
          text: 'Every worker chosen here can take your campaigns again.',
          confirm: 'Take chosen off',
          deny: 'Keep excluded',
        }),
      }),
    ]),
  ];
}

function allButton() {
  return button('Take all off', 'workers.include.all', 'all', {
    style: 'danger',
    confirm: confirmation({
      title: 'Take all workers off?',
      text: 'The whole exclude list of the account is cleared at the marketplace, also what was put on it on the website. It cannot be brought back.',
      confirm: 'Take all off',
      deny: 'Keep the list',
      isDanger: true,
    }),
  });
}

function favoritesBlocks(favorites: readonly ListedWorker[], name: (id: string) => string): KnownBlock[] {
  if (favorites.length === 0) return [];
  const shown = favorites.slice(0, rowsPerPage).map(({ worker }) => name(worker));
  const more = favorites.length > shown.length ? ` and ${favorites.length - shown.length} more` : '';
  return [context(`*Favorites*, as set with ratings in Slack: ${shown.join(', ')}${more}`)];
}
