import type { KnownBlock } from '@slack/types';
import type { Campaign } from '../../../domain/campaign.ts';
import { actions, button, context, type Message, section } from '../../../slack/blocks.ts';
import { cut, limits } from '../../../slack/limits.ts';
import { plain } from '../../../slack/mrkdwn.ts';
import { campaignValue, type ListFilter, pageValue } from '../button-values.ts';
import { outdatedNote, summaryLine, title } from '../campaign-text.ts';
import { openStatus } from '../choose-campaign.view.ts';
import { count, counted } from '../figures.ts';
import { filterWords } from './filter.view.ts';

/** Clicks in the list: choose what it shows, show everything, another page; and elsewhere: show the list. */
export const filterList = 'campaign.filter';
export const clearFilter = 'campaign.filter.clear';
export const pageList = 'campaign.page';
export const showList = 'campaign.list';

const perPage = 10;

export interface ListPage {
  /** The campaigns that fit the filter, in the order they are shown. */
  readonly campaigns: readonly Campaign[];
  readonly filter: ListFilter;
  /** From 0; a page that does not exist becomes the last one. */
  readonly page: number;
  readonly lastSeen: number | undefined;
}

/** The list of campaigns, a page at a time. */
export function listMessage({ campaigns, filter, page: wanted, lastSeen }: ListPage): Message {
  const pages = Math.max(1, Math.ceil(campaigns.length / perPage));
  const page = Math.min(wanted, pages - 1);
  const here = campaigns.slice(page * perPage, (page + 1) * perPage);
  const words = filterWords(filter);
  const intro = introOf(campaigns, words);
  const blocks: KnownBlock[] = [
    section(intro),
    ...(campaigns.length > 0 || words !== '' ? filtering(filter, words) : []),
    ...here.map(row),
    ...(pages > 1 ? turning(page, pages, filter) : []),
    ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
  ];
  const lines = here.map((campaign) => `${title(campaign, 100)}: ${summaryLine(campaign)}`);
  const shown = words === '' ? [] : [`Shown: ${words}`];
  return { text: cut(plain([intro, ...shown, ...lines].join('\n')), limits.fallbackText), blocks };
}

function introOf(campaigns: readonly Campaign[], words: string): string {
  if (campaigns.length === 0) {
    return words === ''
      ? 'Your account has no campaigns yet. Create one with `/campaign new`.'
      : 'No campaign fits the filter. Change it, or clear it to see all.';
  }
  const waiting = campaigns.reduce((sum, { tasksNotRated }) => sum + tasksNotRated, 0);
  const busy = campaigns.filter(({ tasksNotRated }) => tasksNotRated > 0).length;
  const tasks =
    waiting === 0
      ? 'No task waits for review.'
      : `${counted(waiting, 'task')} ${waiting === 1 ? 'waits' : 'wait'} for review in ${count(busy)} of them.`;
  return `*${counted(campaigns.length, 'campaign')}*. ${tasks}`;
}

function row(campaign: Campaign): KnownBlock {
  return section(`*${title(campaign)}*\n${summaryLine(campaign)}`, {
    accessory: button('Status', openStatus, campaignValue.encode({ campaign: campaign.id }), {
      label: `Status of ${campaign.title}`,
    }),
  });
}

function filtering(filter: ListFilter, words: string): KnownBlock[] {
  const isOn = words !== '';
  return [
    ...(isOn ? [context(`Shown: ${words}`)] : []),
    actions('filter', [
      button('Filter', filterList, pageValue.encode({ filter, page: 0 })),
      ...(isOn ? [button('Clear', clearFilter, pageValue.encode({ filter: {}, page: 0 }))] : []),
    ]),
  ];
}

function turning(page: number, pages: number, filter: ListFilter): KnownBlock[] {
  const to = (target: number) => pageValue.encode({ filter, page: target });
  return [
    actions('pages', [
      ...(page > 0 ? [button('Newer', `${pageList}.newer`, to(page - 1))] : []),
      ...(page < pages - 1 ? [button('Older', `${pageList}.older`, to(page + 1))] : []),
    ]),
    context(`Page ${count(page + 1)} of ${count(pages)}`),
  ];
}
