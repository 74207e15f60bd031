import type { Campaign } from '../../domain/campaign.ts';
import type { CampaignChange, CampaignNotice } from '../../domain/campaign-notice.ts';
import type { CampaignId, CampaignStatus } from '../../domain/terms.ts';
import { context, type Message, section } from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { inline, plain } from '../../slack/mrkdwn.ts';

/** How many campaigns one message names. */
const named = 15;

/** What became of a campaign, behind its title. Nothing is said of those that go on. */
const statusText: Readonly<Record<CampaignStatus, string>> = {
  FINISHED: 'has finished',
  BLOCKED: 'was blocked by the marketplace',
  PAUSED: 'is paused',
  PAUSED_ADMIN: 'was paused by an administrator of the marketplace, so ratings wait',
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

/** Tells a channel which campaigns have finished, paused or are blocked. @param listed those that are known */
export function campaignNotice(
  { changes, others }: Pick<CampaignNotice, 'changes' | 'others'>,
  listed: ReadonlyMap<CampaignId, Campaign>,
): Message {
  const all = changes.length + others;
  const heading = all > 1 ? [`*${all.toLocaleString('en')} campaigns* finished, paused or were blocked`] : [];
  const lines = changes.slice(0, named).map((change) => lineOf(change, listed.get(change.campaign)));
  const more = all - lines.length;
  const rest = more > 0 ? [`And ${more.toLocaleString('en')} more: \`/campaign list\` has them all.`] : [];
  const text = [...heading, ...lines, ...rest].join('\n');
  return {
    text: cut(plain(text), limits.fallbackText),
    blocks: [
      section(text),
      context('Restart or look at one with `/campaign`. To mute this, type `/proofdesk subscriptions`.'),
    ],
  };
}

function lineOf({ campaign: id, status }: CampaignChange, campaign: Campaign | undefined): string {
  const title = inline(campaign?.title ?? '', 80) || `Campaign ${inline(id, 80)}`;
  return `${emoji[status]} *${title}* ${statusText[status]}${campaign === undefined ? '' : `: ${countsText(campaign)}`}`;
}

function countsText({ tasksOk, tasksNok, tasksNotRated }: Campaign): string {
  const waiting = tasksNotRated === 0 ? 'none waiting' : `${tasksNotRated.toLocaleString('en')} waiting`;
  return `${tasksOk.toLocaleString('en')} OK, ${tasksNok.toLocaleString('en')} NOK, ${waiting}`;
}
