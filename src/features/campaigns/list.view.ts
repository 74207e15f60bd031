import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import { tellApart } from '../../domain/campaign-search.ts';
import { daysSpan } from '../../domain/days.ts';
import { type CampaignStatus, campaignStatuses } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { CampaignFilter } from '../../marketplace/index.ts';
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
import { nearest } from '../../slack/commands.ts';
import { Origin } from '../../slack/feature.ts';
import { chosen, pickedDay, type Values } from '../../slack/form-values.ts';
import { cut, limits } from '../../slack/limits.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';
import { pageOf } from '../../slack/paging.ts';
import {
  campaignCodec,
  campaignValue,
  count,
  counted,
  outdatedNote,
  statusWords,
  summaryLine,
  title,
} from './campaign.view.ts';
import { openStatus } from './choose.view.ts';

/** Action ids of the list: filter, clear the filter, change the page; and outside it: show the list. */
export const filterList = 'campaign.filter';
export const clearFilter = 'campaign.filter.clear';
export const previousPage = 'campaign.page.newer';
export const nextPage = 'campaign.page.older';
export const showList = 'campaign.list';

export interface ListContent {
  /** The matching campaigns, in display order. */
  readonly campaigns: readonly Campaign[];
  readonly filter: ListFilter;
  /** From 0; a page beyond the end becomes the last one. */
  readonly page: number;
  readonly lastSeen: number | undefined;
}

/** Renders one page of the campaigns. */
export function listMessage({ campaigns, filter, page: wanted, lastSeen }: ListContent): Message {
  const { page, pages, here } = pageOf(campaigns, wanted);
  const filters = filterText(filter);
  const intro = introOf(campaigns, filters);
  const told = tellApart(campaigns);
  const blocks: KnownBlock[] = [
    section(intro),
    ...(campaigns.length > 0 || filters !== '' ? filterBlocks(filter, filters) : []),
    ...here.map((campaign) => row(campaign, told(campaign))),
    ...(pages > 1 ? pageBlocks(page, pages, filter) : []),
    ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
  ];
  const lines = here.map((campaign) => `${title(campaign, 100)}: ${summaryLine(campaign)}`);
  const shown = filters === '' ? [] : [`Filter: ${filters}`];
  return { text: cut(plain([intro, ...shown, ...lines].join('\n')), limits.fallbackText), blocks };
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
      : `${counted(waiting, 'task')} ${waiting === 1 ? 'waits' : 'wait'} for review in ${count(busy)} of them.`;
  return `*${counted(campaigns.length, 'campaign')}*. ${tasks}`;
}

function row(campaign: Campaign, told: string): KnownBlock {
  return section(`*${title(campaign)}*\n${summaryLine(campaign)}${told && `\n${inline(told, 150)}`}`, {
    accessory: button('Status', openStatus, campaignValue.encode({ campaign: campaign.id }), {
      label: `Status of ${campaign.title}`,
    }),
  });
}

function filterBlocks(filter: ListFilter, filters: string): KnownBlock[] {
  const isOn = filters !== '';
  return [
    ...(isOn ? [context(`Filter: ${filters}`)] : []),
    actions('filter', [
      button('Filter', filterList, listPageValue.encode({ filter, page: 0 })),
      ...(isOn ? [button('Clear', clearFilter, listPageValue.encode({ filter: {}, page: 0 }))] : []),
    ]),
  ];
}

function pageBlocks(page: number, pages: number, filter: ListFilter): KnownBlock[] {
  const value = (target: number) => listPageValue.encode({ filter, page: target });
  return [
    actions('pages', [
      ...(page > 0 ? [button('Previous', previousPage, value(page - 1))] : []),
      ...(page < pages - 1 ? [button('Next', nextPage, value(page + 1))] : []),
    ]),
    context(`Page ${count(page + 1)} of ${count(pages)}`),
  ];
}

export const filterForm = 'campaign.filter';
/** Option for no filter, because a select cannot be cleared. */
const anyChoice = 'ANY';

const folderWords = { DEFAULT: 'Default', ARCHIVE: 'Archive' } as const satisfies Record<
  (typeof folders)[number],
  string
>;
const dateWords: Readonly<Record<DateField, string>> = {
  created: 'Created',
  restarted: 'Restarted',
  finished: 'Finished',
};

export const daysReversed = 'The last day is before the first. Choose a later one.';

/** Renders the filter form of the campaign list. @param zone IANA zone of its days */
export function filterView(filter: ListFilter, zone: string, state: string): ModalView {
  return modal({
    callbackId: filterForm,
    title: 'Filter campaigns',
    submit: 'Show',
    state,
    blocks: [
      select(statusInput, 'Status', 'Any status', filter.status, campaignStatuses, statusWords),
      select(folderInput, 'Folder', 'Any folder', filter.folder, folders, folderWords),
      ...dateFields.flatMap((field) => [
        dayPicker(dayInput(field, 'from'), `${dateWords[field]} from`, filter[field]?.from),
        dayPicker(dayInput(field, 'to'), `${dateWords[field]} to`, filter[field]?.to),
      ]),
      context(
        `Days are in the marketplace’s time zone, ${inline(zone, 60)}. The first and last day are included.`,
      ),
    ],
  });
}

function select<T extends string>(
  name: string,
  label: string,
  any: string,
  current: T | undefined,
  values: readonly T[],
  words: Readonly<Record<T, string>>,
): InputBlock {
  const none = option(any, anyChoice);
  const options = values.map((value) => option(words[value], value));
  return input(name, label, {
    type: 'static_select',
    options: [none, ...options],
    initial_option: options.find(({ value }) => value === current) ?? none,
  });
}

function dayPicker(name: string, label: string, current: string | undefined): InputBlock {
  return input(
    name,
    label,
    {
      type: 'datepicker',
      placeholder: plainText('Any day'),
      ...(current ? { initial_date: current } : {}),
    },
    { isOptional: true },
  );
}

/** Returns the active filters: `status “Finished” · folder “Archive” · created from 2026-01-01`; '' for none. */
export function filterText(filter: ListFilter): string {
  const spans = dateFields.flatMap((field) => {
    const { from, to } = filter[field] ?? {};
    const days = [...(from ? [`from ${from}`] : []), ...(to ? [`to ${to}`] : [])];
    return days.length === 0 ? [] : [`${dateWords[field].toLowerCase()} ${days.join(' ')}`];
  });
  return [
    ...(filter.status ? [`status “${statusWords[filter.status]}”`] : []),
    ...(filter.folder ? [`folder “${folderWords[filter.folder]}”`] : []),
    ...spans,
  ].join(' · ');
}

export const folders = ['DEFAULT', 'ARCHIVE'] as const;
/** Campaign dates available as filters. */
export const dateFields = ['created', 'restarted', 'finished'] as const;
export type DateField = (typeof dateFields)[number];

const day = z.iso.date().optional();
const filter = z.object({
  status: z.enum(campaignStatuses).optional(),
  folder: z.enum(folders).optional(),
  created: z.object({ from: day, to: day }).optional(),
  restarted: z.object({ from: day, to: day }).optional(),
  finished: z.object({ from: day, to: day }).optional(),
});

/** Filter of a campaign list. Days (YYYY-MM-DD) are in the marketplace's zone, inclusive. */
export type ListFilter = z.infer<typeof filter>;

/** A page of the list, from 0. */
export const listPageValue = campaignCodec('button', z.object({ filter, page: z.number().int().min(0) }));

/** State of the filter form: where the list is. */
export const filterFormState = campaignCodec('form', Origin);

/** The inputs of the filter form. */
export const statusInput = 'status';
export const folderInput = 'folder';

/** Returns the name of the date picker for the first or last day. */
export function dayInput(field: DateField, end: 'from' | 'to'): string {
  return `${field}.${end}`;
}

/** Returns the filter chosen in the form. */
export function filterIn(values: Values): ListFilter {
  const status = campaignStatuses.find((one) => one === chosen(values, statusInput));
  const folder = folders.find((one) => one === chosen(values, folderInput));
  const spans = dateFields.flatMap((field) => {
    const from = pickedDay(values, dayInput(field, 'from'));
    const to = pickedDay(values, dayInput(field, 'to'));
    return from || to ? [[field, { ...(from ? { from } : {}), ...(to ? { to } : {}) }] as const] : [];
  });
  return { ...(status ? { status } : {}), ...(folder ? { folder } : {}), ...Object.fromEntries(spans) };
}

/** Returns the fields whose last day is before their first. */
export function reversedFields(filter: ListFilter): DateField[] {
  return dateFields.filter((field) => {
    const { from = '', to = '' } = filter[field] ?? {};
    return from !== '' && to !== '' && to < from;
  });
}

/** Returns whether only the marketplace can apply the filter: stored campaigns have no folder and no complete dates. */
export function needsMarketplace({ folder, created, restarted, finished }: ListFilter): boolean {
  return [folder, created, restarted, finished].some((part) => part !== undefined);
}

/** Returns a filter in the format of list_extend (section 7 of the marketplace API). @param zone IANA zone of its days */
export function toCampaignFilter(filter: ListFilter, zone: string): CampaignFilter {
  const { status, folder } = filter;
  const created = daysSpan(filter.created?.from, filter.created?.to, zone);
  const restarted = daysSpan(filter.restarted?.from, filter.restarted?.to, zone);
  const finished = daysSpan(filter.finished?.from, filter.finished?.to, zone);
  return {
    ...(status ? { status } : {}),
    ...(folder ? { folder } : {}),
    ...(created.from ? { createdFrom: created.from } : {}),
    ...(created.to ? { createdTo: created.to } : {}),
    ...(restarted.from ? { restartedFrom: restarted.from } : {}),
    ...(restarted.to ? { restartedTo: restarted.to } : {}),
    ...(finished.from ? { finishedFrom: finished.from } : {}),
    ...(finished.to ? { finishedTo: finished.to } : {}),
  };
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
