import type { KnownBlock } from '@slack/types';
import type { Campaign } from '../../../domain/campaign.ts';
import { tellApart } from '../../../domain/campaign-search.ts';
import { actions, button, context, type Message, section } from '../../../slack/blocks.ts';
import { cut, limits } from '../../../slack/limits.ts';
import { inline, plain } from '../../../slack/mrkdwn.ts';
import { pageOf } from '../../../slack/paging.ts';
import { campaignValue } from '../button-values.ts';
import { outdatedNote, summaryLine, title } from '../campaign-text.ts';
import { openStatus } from '../choose-campaign.view.ts';
import { count, counted } from '../figures.ts';
import { filterText } from './filter.view.ts';
import { type ListFilter, listPageValue } from './list-filter.ts';

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
