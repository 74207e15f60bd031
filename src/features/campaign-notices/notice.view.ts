import type { Campaign } from '../../domain/campaign.ts';
import type { BriefFault, CampaignChange, CampaignNotice } from '../../domain/campaign-notice.ts';
import type { AccountId, CampaignId, CampaignStatus } from '../../domain/terms.ts';
import { button, context, limits, type Message, section } from '../../slack/blocks.ts';
import { cut, inline, plain } from '../../slack/mrkdwn.ts';
import { campaignName, number } from '../../ui/words.ts';
import { casesValue } from '../brief-faults/public.ts';

/** Maximum number of campaigns named per message. */
const named = 15;

/** The emoji and the text of a campaign's status, after its title. Active campaigns are in no notice. */
const statusWords: Readonly<Record<CampaignStatus, readonly [emoji: string, text: string]>> = {
  FINISHED: [':checkered_flag:', 'has finished'],
  BLOCKED: [':no_entry:', 'was blocked by the marketplace'],
  PAUSED: [':double_vertical_bar:', 'is paused'],
  PAUSED_ADMIN: [':double_vertical_bar:', 'was paused by the marketplace, so ratings wait'],
  PAUSED_SYSTEM: [':double_vertical_bar:', 'was paused by the marketplace'],
  RUNNING: [':arrow_forward:', 'is running'],
  PENDING_REVIEW: [':hourglass:', 'waits for review by the marketplace'],
  PENDING_RESTART: [':hourglass:', 'waits for its restart'],
};

/**
 * Returns the notice of which campaigns have finished, paused or are blocked, and whose instructions may be at fault.
 * @param listed the known campaigns @param reasons the names of saved reasons
 */
export function campaignNotice(
  account: AccountId,
  { changes, faults = [] }: Pick<CampaignNotice, 'changes' | 'faults'>,
  listed: ReadonlyMap<CampaignId, Campaign>,
  reasons: ReadonlyMap<string, string>,
): Message {
  const all = changes.length;
  const heading = all > 1 ? [`*${number(all)} campaigns* finished, were paused or were blocked`] : [];
  const lines = changes.slice(0, named).map((change) => lineOf(change, listed.get(change.campaign)));
  const more = all - lines.length;
  const rest = more > 0 ? [`And ${number(more)} more: \`/campaign list\` has them all.`] : [];
  const text = [...heading, ...lines, ...rest].join('\n');
  const faultLines = faults.map((fault) => faultText(fault, listed.get(fault.campaign), reasons));
  return {
    text: cut(plain([...(text === '' ? [] : [text]), ...faultLines].join('\n')), limits.fallbackText),
    blocks: [
      ...(text === '' ? [] : [section(text)]),
      ...faults.map((fault, index) => faultBlock(account, faultLines[index] ?? '', fault)),
      context('View or restart one with `/campaign`. To mute this, type `/proofdesk subscriptions`.'),
    ],
  };
}

function lineOf({ campaign: id, status }: CampaignChange, campaign: Campaign | undefined): string {
  const title = campaignName(campaign?.title, id, 80);
  const [emoji, text] = statusWords[status];
  return `${emoji} *${title}* ${text}${campaign === undefined ? '' : `: ${countsText(campaign)}`}`;
}

function faultText(
  { campaign: id, reason, workers }: BriefFault,
  campaign: Campaign | undefined,
  reasons: ReadonlyMap<string, string>,
): string {
  const title = campaignName(campaign?.title, id, 80);
  const name = inline(reasons.get(reason) ?? 'one saved reason', 75);
  return `:thinking_face: *${title}*: ${workers} workers got NOK for “${name}”. The instructions may be unclear.`;
}

function faultBlock(account: AccountId, text: string, { campaign, reason }: BriefFault) {
  const value = casesValue.encode({ account, campaign, reason });
  return section(text, { accessory: button('Cases…', 'brief.cases', value) });
}

function countsText({ tasksOk, tasksNok, tasksNotRated }: Campaign): string {
  const waiting = tasksNotRated === 0 ? 'none waiting' : `${number(tasksNotRated)} waiting`;
  return `${number(tasksOk)} OK, ${number(tasksNok)} NOK, ${waiting}`;
}
