import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import { tellApart } from '../../domain/campaign-search.ts';
import { daysSpan } from '../../domain/days.ts';
import { AccountId, type CampaignStatus, campaignStatuses } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { CampaignFilter } from '../../marketplace/index.ts';
import {
  actions,
  button,
  context,
  dayPicker,
  input,
  type Message,
  modal,
  option,
  section,
} from '../../slack/blocks.ts';
import { nearest } from '../../slack/commands.ts';
import { Origin } from '../../slack/feature.ts';
import { chosen, pickedDay, type Values } from '../../slack/form-values.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf } from '../../slack/paging.ts';
import {
  blockStateCodec,
  dayField,
  daysText,
  listMessage as messageOf,
  pageField,
} from '../../ui/list.view.ts';
import { counted, number } from '../../ui/words.ts';
import { openStatus } from './choose.view.ts';
import { campaignCodec, campaignValue, outdatedNote, statusWords, summaryLine, title } from './words.ts';

/** Action ids of the list: filter, clear the filter, change the page; and outside it: show the list. */
export const filterList = 'campaign.filter';
export const clearFilter = 'campaign.filter.clear';
export const turnPage = 'campaign.page';
export const showList = 'campaign.list';

const dateFields = ['created', 'restarted', 'finished'] as const;

/** A page of a campaign list, and its filter. Days (YYYY-MM-DD) are in the marketplace's zone, inclusive. */
const listState = z.object({
  account: AccountId.min(1),
  status: z.enum(campaignStatuses).optional().catch(undefined),
  folder: z.enum(['DEFAULT', 'ARCHIVE']).optional().catch(undefined),
  createdFrom: dayField,
  createdTo: dayField,
  restartedFrom: dayField,
  restartedTo: dayField,
  finishedFrom: dayField,
  finishedTo: dayField,
  page: pageField,
});
export type ListState = z.infer<typeof listState>;

export const campaignListCodec = blockStateCodec(listState);

/** What a list is changed to when its filter is cleared. */
export const noFilter = Object.fromEntries(
  Object.keys(listState.shape)
    .filter((name) => name !== 'account')
    .map((name) => [name, '']),
);

/** Renders one page of the campaigns. @param campaigns those that match the filter, in display order */
export function listMessage({
  campaigns,
  list,
  lastSeen,
}: {
  readonly campaigns: readonly Campaign[];
  readonly list: ListState;
  readonly lastSeen: number | undefined;
}): Message {
  const { page, pages, here } = pageOf(campaigns, list.page);
  const filters = filterText(list);
  const intro = introOf(campaigns, filters);
  const told = tellApart(campaigns);
  const lines = here.map((campaign) => `${title(campaign, 100)}: ${summaryLine(campaign)}`);
  return messageOf({
    intro,
    rows: [...(filters === '' ? [] : [`Filter: ${filters}`]), ...lines],
    blocks: [
      ...(campaigns.length > 0 || filters !== '' ? filterBlocks(list, filters) : []),
      ...here.map((campaign) => row(campaign, told(campaign))),
      ...pageButtons({ blockId: campaignListCodec.encode('pages', list), actionId: turnPage, page, pages }),
      ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
    ],
  });
}

function introOf(campaigns: readonly Campaign[], filters: string): string {
  if (campaigns.length === 0) {
    return filters === ''
      ? 'Your account has no campaigns yet. Create one with `/campaign new`.'
      : 'No campaign matches the filter. Change the filter, or clear it to see all campaigns.';
  }
  const waiting = campaigns.reduce((sum, { tasksNotRated }) => sum + tasksNotRated, 0);
  const busy = campaigns.filter(({ tasksNotRated }) => tasksNotRated > 0).length;
  const tasks =
    waiting === 0
      ? 'No tasks are waiting for review.'
      : `${counted(waiting, 'task')} ${waiting === 1 ? 'waits' : 'wait'} for review in ${number(busy)} of them.`;
  return `*${counted(campaigns.length, 'campaign')}*. ${tasks}`;
}

function row(campaign: Campaign, told: string): KnownBlock {
  return section(`*${title(campaign)}*\n${summaryLine(campaign)}${told && `\n${inline(told, 150)}`}`, {
    accessory: button('Status', openStatus, campaignValue.encode({ campaign: campaign.id }), {
      label: `Status of ${campaign.title}`,
    }),
  });
}

function filterBlocks(list: ListState, filters: string): KnownBlock[] {
  const isOn = filters !== '';
  return [
    ...(isOn ? [context(`Filter: ${filters}`)] : []),
    actions(campaignListCodec.encode('filter', list), [
      button('Filter', filterList, 'filter'),
      ...(isOn ? [button('Clear', clearFilter, 'clear')] : []),
    ]),
  ];
}

export const filterForm = 'campaign.filter';
/** Option for no filter, because a select cannot be cleared. */
const anyChoice = 'ANY';

const folderWords = { DEFAULT: 'Default', ARCHIVE: 'Archive' } as const;
const dateWords = { created: 'Created', restarted: 'Restarted', finished: 'Finished' } as const;

export const daysReversed = 'The last day is before the first. Choose a later one.';

/** Renders the filter form of the campaign list. @param zone IANA zone of its days */
export function filterView(
  list: Omit<ListState, 'account' | 'page'>,
  zone: string,
  state: string,
): ModalView {
  return modal({
    callbackId: filterForm,
    title: 'Filter campaigns',
    submit: 'Show',
    state,
    blocks: [
      select('status', 'Status', 'Any status', list.status, statusWords),
      select('folder', 'Folder', 'Any folder', list.folder, folderWords),
      ...dateFields.flatMap((field) => [
        dayInput(`${field}From`, `${dateWords[field]} from`, list[`${field}From`]),
        dayInput(`${field}To`, `${dateWords[field]} to`, list[`${field}To`]),
      ]),
      context(
        `Days are in the marketplace’s time zone, ${inline(zone, 60)}. The first and last day are included.`,
      ),
    ],
  });
}

function select(
  name: string,
  label: string,
  any: string,
  current: string | undefined,
  words: Readonly<Record<string, string>>,
): InputBlock {
  const none = option(any, anyChoice);
  const options = Object.entries(words).map(([value, text]) => option(text, value));
  return input(name, label, {
    type: 'static_select',
    options: [none, ...options],
    initial_option: options.find(({ value }) => value === current) ?? none,
  });
}

function dayInput(name: string, label: string, current: string | undefined): InputBlock {
  const { action_id: _, ...picker } = dayPicker(name, 'Any day', current);
  return input(name, label, picker, { isOptional: true });
}

/** Returns the active filters: `status “Finished” · folder “Archive” · created from 2026-01-01`; '' for none. */
function filterText(list: ListState): string {
  const spans = dateFields.flatMap((field) => {
    const days = daysText({ from: list[`${field}From`], to: list[`${field}To`] });
    return days === '' ? [] : [`${field} ${days}`];
  });
  return [
    ...(list.status ? [`status “${statusWords[list.status]}”`] : []),
    ...(list.folder ? [`folder “${folderWords[list.folder]}”`] : []),
    ...spans,
  ].join(' · ');
}

/** State of the filter form: the list's account, and where it is. */
export const filterFormState = campaignCodec('form', z.object({ account: AccountId, origin: Origin }));

/** Returns the list with the filter chosen in the form. */
export function filterIn(account: AccountId, values: Values): ListState {
  const days = dateFields
    .flatMap((field) => [`${field}From`, `${field}To`])
    .map((name) => [name, pickedDay(values, name)]);
  return listState.parse({
    account,
    status: chosen(values, 'status'),
    folder: chosen(values, 'folder'),
    ...Object.fromEntries(days),
  });
}

/** Returns the inputs of last days that are before the first. */
export function reversedDays(list: ListState): string[] {
  return dateFields.flatMap((field) => {
    const { [`${field}From` as const]: from, [`${field}To` as const]: to } = list;
    return from && to && to < from ? [`${field}To`] : [];
  });
}

/**
 * Returns the filter that only the marketplace can apply (list_extend, section 7 of its API), because stored campaigns
 * have no folder and no complete dates; undefined if there is none. @param zone IANA zone of its days
 */
export function marketplaceFilter(list: ListState, zone: string): CampaignFilter | undefined {
  const { status, folder } = list;
  const spans = dateFields.map((field) => {
    const { from, to } = daysSpan(list[`${field}From`], list[`${field}To`], zone);
    return { ...(from ? { [`${field}From`]: from } : {}), ...(to ? { [`${field}To`]: to } : {}) };
  });
  const filter: CampaignFilter = Object.assign(folder ? { folder } : {}, ...spans);
  if (Object.keys(filter).length === 0) return undefined;
  return status ? { ...filter, status } : filter;
}

/**
 * Parses the status in `/campaign list [status]`: `running`, `PAUSED_ADMIN`, `paused admin`; undefined for all statuses
 * (empty, or `all`). Throws a UserError for anything else.
 */
export function parseStatus(text: string): CampaignStatus | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/gu, '_');
  if (word === '' || word === 'ALL') return undefined;
  const status = campaignStatuses.find(
    (one) => one === word || statusWords[one].toUpperCase().replaceAll(' ', '_') === word,
  );
  if (status !== undefined) return status;
  const near = nearest(word, campaignStatuses)?.toLowerCase();
  const all = campaignStatuses.map((one) => `\`${one.toLowerCase()}\``).join(', ');
  throw new UserError(
    `There is no status “${inline(text, 40)}”. ${near === undefined ? '' : `Did you mean \`/campaign list ${near}\`? `}The statuses are ${all}.`,
  );
}
