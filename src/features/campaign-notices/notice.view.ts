import type { Campaign } from '../../domain/campaign.ts';
import type { BriefFault, CampaignChange, CampaignNotice } from '../../domain/campaign-notice.ts';
import type { AccountId, CampaignId, CampaignStatus } from '../../domain/terms.ts';
import { button, context, limits, type Message, section } from '../../slack/blocks.ts';
import { cut, inline, plain } from '../../slack/mrkdwn.ts';
import { campaignName, number } from '../../ui/words.ts';
import { casesValue } from '../brief-faults/public.ts';

/** Maximum number of campaigns named per message. */
const named = 15;

/** Status text after a campaign's title. Active campaigns have none. */
const statusText: Readonly<Record<CampaignStatus, string>> = {
  FINISHED: 'has finished',
  BLOCKED: 'was blocked by the marketplace',
  PAUSED: 'is paused',
  PAUSED_ADMIN: 'was paused by the marketplace, so ratings wait',
  PAUSED_SYSTEM: 'was paused by the marketplace',
  RUNNING: 'is running',
  PENDING_REVIEW: 'waits for review by the marketplace',
  PENDING_RESTART: 'waits for its restart',
};

const emoji: Readonly<Record<CampaignStatus, string>> = {
  FINISHED: ':checkered_flag:',
  BLOCKED: ':no_entry:',
  PAUSED: ':double_vertical_bar:',
  PAUSED_ADMIN: ':double_vertical_bar:',
  PAUSED_SYSTEM: ':double_vertical_bar:',
  RUNNING: ':arrow_forward:',
  PENDING_REVIEW: ':hourglass:',
  PENDING_RESTART: ':hourglass:',
};

/** Data for a notice about faulty instructions: the account, and the names of its saved reasons. */
export interface FaultNames {
  readonly account: AccountId;
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * Returns the notice of which campaigns have finished, paused or are blocked, and whose instructions may be at fault.
 * @param listed the known campaigns
 */
export function campaignNotice(
  { changes, faults = [], others }: Pick<CampaignNotice, 'changes' | 'faults' | 'others'>,
  listed: ReadonlyMap<CampaignId, Campaign>,
  names?: FaultNames,
): Message {
  const all = changes.length + others;
  const heading = all > 1 ? [`*${number(all)} campaigns* finished, were paused or were blocked`] : [];
  const lines = changes.slice(0, named).map((change) => lineOf(change, listed.get(change.campaign)));
  const more = all - lines.length;
  const rest = more > 0 ? [`And ${number(more)} more: \`/campaign list\` has them all.`] : [];
  const text = [...heading, ...lines, ...rest].join('\n');
  const faultLines = faults.map((fault) => faultText(fault, listed.get(fault.campaign), names));
  return {
    text: cut(plain([...(text === '' ? [] : [text]), ...faultLines].join('\n')), limits.fallbackText),
    blocks: [
      ...(text === '' ? [] : [section(text)]),
      ...faults.map((fault, index) => faultBlock(faultLines[index] ?? '', fault, names)),
      context('View or restart one with `/campaign`. To mute this, type `/proofdesk subscriptions`.'),
    ],
  };
}

function lineOf({ campaign: id, status }: CampaignChange, campaign: Campaign | undefined): string {
  const title = campaignName(campaign?.title, id, 80);
  return `${emoji[status]} *${title}* ${statusText[status]}${campaign === undefined ? '' : `: ${countsText(campaign)}`}`;
}

function faultText(
  { campaign: id, reason, workers }: BriefFault,
  campaign: Campaign | undefined,
  names: FaultNames | undefined,
): string {
  const title = campaignName(campaign?.title, id, 80);
  const name = inline(names?.reasons.get(reason) ?? 'one saved reason', 75);
  return `:thinking_face: *${title}*: ${workers} workers got NOK for “${name}”. The instructions may be unclear.`;
}

function faultBlock(text: string, { campaign, reason }: BriefFault, names: FaultNames | undefined) {
  if (names === undefined) return section(text);
  const value = casesValue.encode({ account: names.account, campaign, reason });
  return section(text, { accessory: button('Cases…', 'brief.cases', value) });
}

function countsText({ tasksOk, tasksNok, tasksNotRated }: Campaign): string {
  const waiting = tasksNotRated === 0 ? 'none waiting' : `${number(tasksNotRated)} waiting`;
  return `${number(tasksOk)} OK, ${number(tasksNok)} NOK, ${waiting}`;
}
