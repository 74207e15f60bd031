import type { Campaign } from '../../domain/campaign.ts';
import type { ChannelId } from '../../domain/terms.ts';
import { channelName, inline } from '../../slack/mrkdwn.ts';
import type { Subscription } from '../../store/subscriptions.ts';

const howToStop = 'To stop, type `/proofdesk unsubscribe`.';

/** Returns the answer to `/proofdesk subscribe`, in mrkdwn. @param movedFrom the channel that was subscribed before */
export function subscribed(campaign: Campaign | undefined, movedFrom: ChannelId | undefined): string {
  const what = campaign
    ? `New tasks of *${titleOf(campaign)}* are posted in this channel from now on`
    : 'New tasks and inbox messages of your account are posted in this channel from now on';
  const moved = movedFrom
    ? `, and no longer in ${channelName(movedFrom)}, because each task has only one card`
    : '';
  return `${what}${moved}. The newest tasks already waiting get cards too; a summary counts the rest. ${howToStop}`;
}

export const alreadySubscribed = `This channel is already subscribed to that. ${howToStop}`;
export const botNotInChannel =
  'The bot is not in this channel, so it cannot post here. Invite it with `/invite @Proofdesk`, then try again.';
export const channelArchived = 'This channel is archived. Unarchive it or use another one, then try again.';

/** Returns the answer to `/proofdesk unsubscribe`. @param ended the subscriptions that the channel had */
export function unsubscribed(ended: readonly Subscription[]): string {
  if (ended.length === 0)
    return 'This channel was not subscribed to anything. To subscribe it, type `/proofdesk subscribe`.';
  return 'New tasks and messages are no longer posted in this channel. The cards already here stay, and their buttons work.';
}

export function noSuchCampaign(wanted: string): string {
  return `No campaign has the id or title “${inline(wanted, 80)}”. See them all with \`/campaign list\`.`;
}

export function severalCampaigns(wanted: string, found: readonly Campaign[]): string {
  const some = found
    .slice(0, 5)
    .map((campaign) => `• ${titleOf(campaign, 80)}: \`/proofdesk subscribe ${inline(campaign.id, 80)}\``);
  const more = found.length > 5 ? `\nand ${found.length - 5} more` : '';
  return `Several campaigns match “${inline(wanted, 80)}”. Use the id of one:\n${some.join('\n')}${more}`;
}

function titleOf({ id, title }: Campaign, max?: number): string {
  return inline(title, max) || `Campaign ${inline(id, max)}`;
}
