import { type Campaign, tellApart } from '../../domain/campaign.ts';
import type { ChannelId, MemberId } from '../../domain/terms.ts';
import { channelName, inline, user } from '../../slack/mrkdwn.ts';
import { campaignName, number } from '../../ui/words.ts';

const howToStop = 'To stop, type `/proofdesk unsubscribe`.';

/**
 * Returns the answer to `/proofdesk subscribe`, in mrkdwn.
 * @param movedFrom the previously subscribed channel
 * @param mustWait an owner has to confirm the channel first
 */
export function subscribed(
  campaign: Campaign | undefined,
  movedFrom: ChannelId | undefined,
  mustWait: boolean,
): string {
  const tasks = campaign
    ? `tasks of *${campaignName(campaign.title, campaign.id)}*`
    : 'tasks of your account';
  const when = mustWait
    ? `This channel is shared with another company. New ${tasks} will be posted here once an owner of the account confirms it.`
    : `New ${tasks} will be posted in this channel. The most urgent waiting tasks get cards too; the others are counted in one message per campaign.`;
  const moved = movedFrom
    ? ` They’re no longer posted in ${channelName(movedFrom)}: each task has only one card.`
    : '';
  const inbox = campaign ? '' : ' To choose where inbox messages go, type `/proofdesk subscriptions`.';
  return `${when}${moved}${inbox} ${howToStop}`;
}

export const alreadySubscribed = `This channel already gets those tasks. ${howToStop}`;
export const botNotInChannel =
  'Proofdesk isn’t in this channel, so it can’t post here. Invite it with `/invite @Proofdesk`, then try again.';
export const channelArchived = 'This channel is archived. Unarchive it or use another one, then try again.';

/** Returns the notice to an unsubscribed channel. */
export function unsubscribed(by: MemberId): string {
  return `${user(by)} unsubscribed this channel. ${unsubscribedAnswer}`;
}

export const unsubscribedAnswer =
  'New tasks, digests and inbox messages are no longer posted here. Cards already here stay, and their buttons still work.';
export const notSubscribed =
  'This channel isn’t subscribed to anything. To subscribe it, type `/proofdesk subscribe`.';

/** Returns the notice to a channel that has lost something. @param to absent: no channel gets it */
export function movedAway(by: MemberId, what: string, to: ChannelId | undefined): string {
  const where = to === undefined ? 'no channel; Home says how many are unread' : channelName(to);
  return `${user(by)} moved ${what} to ${where}. What is already here stays, and its buttons still work.`;
}

/** Returns the notice to a channel that gets something now. */
export function movedHere(by: MemberId, what: string, from: ChannelId | undefined): string {
  return `${user(by)} moved ${what} here${from === undefined ? '' : ` from ${channelName(from)}`}.`;
}

/** What moves when the channel of an inbox changes. */
export const whatInbox = 'new inbox messages of their account';

export function whatMoves(campaign: Campaign | undefined): string {
  return campaign
    ? `new tasks from *${campaignName(campaign.title, campaign.id)}*`
    : 'new tasks from their account';
}

export function severalCampaigns(wanted: string, found: readonly Campaign[]): string {
  const told = tellApart(found);
  const some = found
    .slice(0, 5)
    .map(
      (campaign) =>
        `• ${campaignName(campaign.title, campaign.id, 80)}${told(campaign) && ` (${inline(told(campaign), 80)})`}: \`/proofdesk subscribe ${inline(campaign.id, 80)}\``,
    );
  const more = found.length > 5 ? `\nand ${found.length - 5} more` : '';
  return `Several campaigns match “${inline(wanted, 80)}”. Use the id of one:\n${some.join('\n')}${more}`;
}

/** The keyword before a campaign that requests its digest. */
export const digestWord = 'digest';

/**
 * Returns the answer to `/proofdesk subscribe digest`, in mrkdwn. @param mustWait an owner has to confirm the channel
 * first
 */
export function digestSubscribed(campaign: Campaign | undefined, mustWait: boolean): string {
  const what = campaign
    ? `This channel gets a count of the waiting tasks of *${campaignName(campaign.title, campaign.id, 80)}*`
    : 'This channel gets a count of the waiting tasks of each campaign';
  const shared = mustWait
    ? ' This channel is shared with another company, so nothing is posted here until an owner of the account confirms it.'
    : '';
  return `${what}, without cards.${shared} ${howToStop}`;
}

/** The channel already shows what a digest would. */
export const hasCards =
  'This channel already gets these cards, and a count of the other waiting tasks. A digest would add nothing.';

/** A digest needs the data that the bot reads for the card channel. */
export const noCardChannel =
  'No channel gets cards yet, which a digest needs. Type `/proofdesk subscribe` in one, then try again.';

/** Maximum number of campaigns named. */
const namedCampaigns = 5;

/** Returns the first campaigns and the number of others, in mrkdwn. @param all what undefined stands for */
export function titlesOf(
  campaigns: readonly (Pick<Campaign, 'id' | 'title'> | undefined)[],
  all = 'all campaigns',
): string {
  const more = campaigns.length - namedCampaigns;
  const named = campaigns
    .slice(0, namedCampaigns)
    .map((campaign) => (campaign ? `*${campaignName(campaign.title, campaign.id, 80)}*` : all));
  return [...named, ...(more > 0 ? [`${number(more)} more`] : [])].join(', ');
}
