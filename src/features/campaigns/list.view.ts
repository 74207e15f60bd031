import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignTitleOf, tellApart } from '../../domain/campaign.ts';
import { nearest } from '../../domain/evidence/texts.ts';
import { AccountId, campaignStatuses } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { actions, button, context, type Message, pageButtons, pageOf, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { blockStateCodec, choice, listMessage as messageOf, pageField } from '../../ui/list.view.ts';
import { counted, number } from '../../ui/words.ts';
import { campaignValue, outdatedNote, statusWords, summaryLine, title } from './words.ts';

const filters = [...campaignStatuses, 'ARCHIVE'] as const;
/** Which campaigns are listed: those with a status, or those in the archive. */
type Filter = (typeof filters)[number];

const filterWords: Readonly<Record<Filter, string>> = { ...statusWords, ARCHIVE: 'Archive' };

/** A page of a campaign list; `filter` absent: all campaigns. */
const listState = z.object({
  account: AccountId.min(1),
  filter: z.enum(filters).optional().catch(undefined),
  page: pageField,
});
export type ListState = z.infer<typeof listState>;

export const campaignListCodec = blockStateCodec(listState);

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
  const { filter } = list;
  const { page, pages, here } = pageOf(campaigns, list.page);
  const told = tellApart(campaigns);
  const words = { ALL: 'All campaigns', ...filterWords };
  return messageOf({
    intro: introOf(campaigns, filter),
    rows: here.map((campaign) => `${title(campaign, 100)}: ${summaryLine(campaign)}`),
    blocks: [
      ...(campaigns.length > 0 || filter
        ? [
            actions(campaignListCodec.encode('filter', list), [
              choice('campaign.filter', 'Filter', words, filter ?? 'ALL'),
            ]),
          ]
        : []),
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

function introOf(campaigns: readonly Campaign[], filter: Filter | undefined): string {
  if (campaigns.length === 0) {
    return filter === undefined
      ? 'Your account has no campaigns yet. Create one with `/campaign new`.'
      : 'No campaign matches the filter. Choose another one to see more.';
  }
  const waiting = campaigns.reduce((sum, { tasksNotRated }) => sum + tasksNotRated, 0);
  const busy = campaigns.filter(({ tasksNotRated }) => tasksNotRated > 0).length;
  const tasks =
    waiting === 0
      ? 'No tasks are waiting for review.'
      : `${counted(waiting, 'task')} waiting for review in ${number(busy)} of them.`;
  return `*${counted(campaigns.length, 'campaign')}*${filter ? ` (${filterWords[filter]})` : ''}. ${tasks}`;
}

function row(campaign: Campaign, told: string): KnownBlock {
  return section(`*${title(campaign)}*\n${summaryLine(campaign)}${told && `\n${inline(told, 150)}`}`, {
    accessory: button('Status', 'campaign.status', campaignValue.encode({ campaign: campaign.id }), {
      label: `Status of ${campaignTitleOf(campaign.id, campaign.title)}`,
    }),
  });
}

/**
 * Parses the status in `/campaign list [status]`: `running`, `PAUSED_ADMIN`, `paused admin`, `archive`; undefined for all
 * campaigns (empty, or `all`). Throws a UserError for anything else.
 */
export function parseFilter(text: string): Filter | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/gu, '_');
  if (word === '' || word === 'ALL') return undefined;
  const found = filters.find(
    (one) => one === word || filterWords[one].toUpperCase().replaceAll(' ', '_') === word,
  );
  if (found !== undefined) return found;
  const near = nearest(word, campaignStatuses)?.toLowerCase();
  const all = campaignStatuses.map((one) => `\`${one.toLowerCase()}\``).join(', ');
  throw new UserError(
    `There is no status “${inline(text, 40)}”. ${near === undefined ? '' : `Did you mean \`/campaign list ${near}\`? `}The statuses are ${all}.`,
  );
}
