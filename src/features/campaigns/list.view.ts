import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type Campaign, campaignTitleOf, tellApart } from '../../domain/campaign.ts';
import { nearest } from '../../domain/evidence/texts.ts';
import { daysToRate } from '../../domain/task.ts';
import { AccountId, campaignStatuses } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import {
  actions,
  button,
  context,
  type Message,
  modal,
  pageButtons,
  pageOf,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { code, date, inline } from '../../slack/mrkdwn.ts';
import { blockStateCodec, choice, listMessage as messageOf, pageField } from '../../ui/list.view.ts';
import { counted, number } from '../../ui/words.ts';
import { targetingLine } from './countries.ts';
import { numberInput } from './inputs.view.ts';
import type { CampaignListing } from './listings.ts';
import {
  campaignCodec,
  campaignId,
  campaignValue,
  outdatedNote,
  payment,
  positionsLeft,
  statusWords,
  summaryLine,
  title,
} from './words.ts';

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

/** Renders one page of the campaigns that match the filter, in this order. */
export function listMessage({ campaigns, lastSeen }: CampaignListing, list: ListState): Message {
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
  return `*${counted(campaigns.length, 'campaign')}*${filter ? ` (${filterWords[filter]})` : ''}. ${counted(waiting, 'task')} waiting for review.`;
}

function row(campaign: Campaign, told: string): KnownBlock {
  return section(`*${title(campaign)}*\n${summaryLine(campaign)}${told && `\n${inline(told)}`}`, {
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
    `There is no status “${inline(text)}”. ${near === undefined ? '' : `Did you mean \`/campaign list ${near}\`? `}The statuses are ${all}.`,
  );
}

/**
 * Renders a campaign's status, with its actions.
 * @param status.inCorrection number of tasks sent back for correction, as far as stored here
 * @param status.waiting the stored waiting tasks: when the oldest was submitted, and when the first one is due (ms)
 * @param status.days the time to rate a task, if it is known
 * @param status.done outcome of the last action, in mrkdwn
 */
export function statusMessage({
  campaign,
  inCorrection,
  waiting,
  days,
  lastSeen,
  done,
}: {
  readonly campaign: Campaign;
  readonly inCorrection: number;
  readonly waiting?: { readonly oldest?: number; readonly dueAt?: number } | undefined;
  readonly days: number | undefined;
  readonly lastSeen?: number | undefined;
  readonly done?: string | undefined;
}): Message {
  const counts = [
    countsOf(campaign, inCorrection),
    ...(waiting?.oldest && campaign.tasksNotRated > 0
      ? [`The oldest has been waiting since ${date(waiting.oldest)}.`]
      : []),
  ].join('\n');
  const due = timeToRateText(days, waiting?.dueAt);
  const facts = factsOf(campaign);
  const value = campaignValue.encode({ campaign: campaign.id });
  return messageOf({
    outcome: done,
    intro: `*${title(campaign)}*\n${statusWords[campaign.status]}`,
    rows: [counts, due, facts],
    blocks: [
      section(counts),
      section(due, {
        accessory: button(
          days === undefined ? 'Set deadline' : 'Change deadline',
          'campaign.status.time-to-rate',
          value,
        ),
      }),
      section(facts),
      actions('campaign', [
        ...(campaign.status === 'FINISHED'
          ? [button('Restart', 'campaign.restart', value, { style: 'primary' as const })]
          : []),
        button('Change countries', 'campaign.retarget', value),
        button('Results', 'campaign.results', value),
      ]),
      ...(lastSeen === undefined ? [] : [context(outdatedNote(lastSeen))]),
    ],
  });
}

/** Returns the counts by name; rare ones only if above zero. */
function countsOf(campaign: Campaign, inCorrection: number): string {
  const { tasksOk, tasksNok, tasksNotRated, tasksNotReviewed } = campaign;
  return [
    `${number(tasksOk)} OK`,
    `${number(tasksNok)} NOK`,
    `${number(tasksNotRated)} waiting for review`,
    ...(inCorrection > 0 ? [`${number(inCorrection)} revision requested`] : []),
    ...(tasksNotReviewed > 0 ? [`${number(tasksNotReviewed)} at the marketplace`] : []),
    `${number(positionsLeft(campaign, inCorrection))} left`,
  ].join(' · ');
}

function factsOf(campaign: Campaign): string {
  return [
    `Pays ${payment(campaign)} · ${counted(campaign.availablePositions, 'position')} in all`,
    targetingLine(campaign),
    ...(campaign.speed === '' ? [] : [`Speed: ${inline(campaign.speed, 40)}`]),
    ...(campaign.createdAt === undefined ? [] : [`Created: ${date(campaign.createdAt, '{date_short}')}`]),
    `Id: ${code(campaign.id)}`,
  ].join('\n');
}

export const daysInput = 'days';

/** The status to refresh after submission. */
export const timeToRateState = campaignCodec('form', z.object({ campaign: campaignId, origin: Origin }));

/** Returns the time to rate a campaign's tasks, in mrkdwn. @param dueAt the earliest deadline of its waiting tasks (ms) */
function timeToRateText(days: number | undefined, dueAt: number | undefined): string {
  if (days === undefined)
    return 'No deadline is set: the marketplace doesn’t report it. Set it once, and cards and lists show when each task is due.';
  const first = dueAt === undefined ? '' : ` The first one is due ${date(dueAt)}.`;
  return `Tasks are due after ${counted(days, 'day')}; then the marketplace may approve them.${first}`;
}

/** Returns the form that sets the days. @param name the campaign's title */
export function timeToRateView(
  name: string,
  days: number | undefined,
  state: Parameters<typeof timeToRateState.encode>[0],
): ModalView {
  return modal({
    callbackId: 'campaign.time-to-rate',
    title: 'Deadline',
    submit: 'Save',
    state: timeToRateState.encode(state),
    blocks: [
      section(`*${inline(name)}*`),
      numberInput(daysInput, 'Days to rate a task', days === undefined ? '' : String(days), {
        max: daysToRate.max,
        hint: 'As set at the marketplace when the campaign was created. This doesn’t change it there; it tells Proofdesk when a task is due.',
      }),
    ],
  });
}

/** Error for an invalid number, in plain text. */
export const daysProblem = `Enter a whole number of days from ${daysToRate.min} to ${daysToRate.max}.`;

/** Returns the confirmation that the days were stored, in mrkdwn. */
export function timeToRateStored(name: string, days: number): string {
  return `Tasks of *${inline(name)}* are due after ${counted(days, 'day')}. Open cards will show it within a few minutes.`;
}
