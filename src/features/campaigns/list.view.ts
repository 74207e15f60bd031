import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignTitleOf, tellApart } from '../../domain/campaign.ts';
import { nearest } from '../../domain/evidence/texts.ts';
import { daysSpan } from '../../domain/task.ts';
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
  pageButtons,
  pageOf,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { chosen, pickedDay, type Values } from '../../slack/form-values.ts';
import { inline } from '../../slack/mrkdwn.ts';
import {
  blockStateCodec,
  dayField,
  daysText,
  listMessage as messageOf,
  pageField,
} from '../../ui/list.view.ts';
import { counted, number } from '../../ui/words.ts';
import { campaignCodec, campaignValue, outdatedNote, statusWords, summaryLine, title } from './words.ts';

const folderWords = { DEFAULT: 'Default', ARCHIVE: 'Archive' } as const;
const eventWords = { created: 'Created', restarted: 'Restarted', finished: 'Finished' } as const;
const events = ['created', 'restarted', 'finished'] as const;

/** A page of a campaign list, and its filter. Days (YYYY-MM-DD) are in the marketplace's zone, inclusive. */
const listState = z.object({
  account: AccountId.min(1),
  status: z.enum(campaignStatuses).optional().catch(undefined),
  folder: z.enum(['DEFAULT', 'ARCHIVE']).optional().catch(undefined),
  /** What happened on the days. */
  event: z.enum(events).catch('created'),
  from: dayField,
  to: dayField,
  page: pageField,
});
export type ListState = z.infer<typeof listState>;

export const campaignListCodec = blockStateCodec(listState);

/** Returns a list of all campaigns, or of those with a status. */
export function firstList(account: AccountId, status?: CampaignStatus): ListState {
  return { account, status, event: 'created', page: 0 };
}

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
      ...pageButtons({
        blockId: campaignListCodec.encode('pages', list),
        actionId: 'campaign.page',
        page,
        pages,
      }),
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
      : `${counted(waiting, 'task')} waiting for review in ${number(busy)} of them.`;
  return `*${counted(campaigns.length, 'campaign')}*. ${tasks}`;
}

function row(campaign: Campaign, told: string): KnownBlock {
  return section(`*${title(campaign)}*\n${summaryLine(campaign)}${told && `\n${inline(told, 150)}`}`, {
    accessory: button('Status', 'campaign.status', campaignValue.encode({ campaign: campaign.id }), {
      label: `Status of ${campaignTitleOf(campaign.id, campaign.title)}`,
    }),
  });
}

function filterBlocks(list: ListState, filters: string): KnownBlock[] {
  const isOn = filters !== '';
  return [
    ...(isOn ? [context(`Filter: ${filters}`)] : []),
    actions(campaignListCodec.encode('filter', list), [
      button('Filter', 'campaign.filter', 'filter'),
      ...(isOn ? [button('Clear', 'campaign.filter.clear', 'clear')] : []),
    ]),
  ];
}

/** Option for no filter, because a select cannot be cleared. */
const anyChoice = 'ANY';

export const daysReversed = 'The last day is before the first. Choose a later one.';

/** Renders the filter form of the campaign list. @param zone IANA zone of its days */
export function filterView(list: ListState, zone: string, state: string): ModalView {
  return modal({
    callbackId: 'campaign.filter',
    title: 'Filter campaigns',
    submit: 'Show',
    state,
    blocks: [
      select('status', 'Status', list.status, { [anyChoice]: 'Any status', ...statusWords }),
      select('folder', 'Folder', list.folder, { [anyChoice]: 'Any folder', ...folderWords }),
      select('event', 'Date', list.event, eventWords),
      dayInput('from', 'From', list.from),
      dayInput('to', 'To', list.to),
      context(
        `Days are in the marketplace’s time zone, ${inline(zone, 60)}. The first and last day are included.`,
      ),
    ],
  });
}

/** Returns a select of choices by value, the first one unless another is chosen. */
function select(
  name: string,
  label: string,
  current: string | undefined,
  words: Readonly<Record<string, string>>,
): InputBlock {
  const options = Object.entries(words).map(([value, text]) => option(text, value));
  const initial = options.find(({ value }) => value === current) ?? options[0];
  return input(name, label, {
    type: 'static_select',
    options,
    ...(initial ? { initial_option: initial } : {}),
  });
}

function dayInput(name: string, label: string, current: string | undefined): InputBlock {
  const { action_id: _, ...picker } = dayPicker(name, 'Any day', current);
  return input(name, label, picker, { isOptional: true });
}

/** Returns the active filters: `status “Finished” · folder “Archive” · created from 2026-01-01`; '' for none. */
function filterText(list: ListState): string {
  const days = daysText(list);
  return [
    ...(list.status ? [`status “${statusWords[list.status]}”`] : []),
    ...(list.folder ? [`folder “${folderWords[list.folder]}”`] : []),
    ...(days === '' ? [] : [`${list.event} ${days}`]),
  ].join(' · ');
}

/** State of the filter form: the list's account, and where it is. */
export const filterFormState = campaignCodec('form', z.object({ account: AccountId, origin: Origin }));

/** Returns the list with the filter chosen in the form. */
export function filterIn(account: AccountId, values: Values): ListState {
  const choices = ['status', 'folder', 'event'].map((name) => [name, chosen(values, name)]);
  const days = ['from', 'to'].map((name) => [name, pickedDay(values, name)]);
  return listState.parse({ account, ...Object.fromEntries([...choices, ...days]) });
}

/**
 * Returns the filter that only the marketplace can apply (list_extend, section 7 of its API), because stored campaigns
 * have no folder and no complete dates; undefined if there is none. @param zone IANA zone of its days
 */
export function marketplaceFilter(
  { status, folder, event, ...days }: ListState,
  zone: string,
): CampaignFilter | undefined {
  const { from, to } = daysSpan(days.from, days.to, zone);
  if (!folder && !from && !to) return undefined;
  return {
    ...(folder ? { folder } : {}),
    ...(from ? { [`${event}From`]: from } : {}),
    ...(to ? { [`${event}To`]: to } : {}),
    ...(status ? { status } : {}),
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
