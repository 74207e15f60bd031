import type { Campaign } from '../../domain/campaign.ts';
import type { ChannelId } from '../../domain/terms.ts';
import { channelName, inline } from '../../slack/mrkdwn.ts';
import type { Subscription } from '../../store/subscriptions.ts';

/** Everything `/proofdesk subscribe` and `unsubscribe` say, in mrkdwn. */
export function subscribed(campaign: Campaign | undefined, movedFrom: ChannelId | undefined): string {
  const what = campaign
    ? `New tasks of *${inline(campaign.title)}* come to this channel from now on.`
    : 'New tasks and inbox messages of your account come to this channel from now on.';
  const moved = movedFrom
    ? ` They came to ${channelName(movedFrom)} before and do not any more, since each task has one card.`
    : '';
  return `${what}${moved} Of what waits already, the newest follow as cards; the rest is summed up. End it with \`/proofdesk unsubscribe\`.`;
}

export const alreadySubscribed = 'This channel gets that already. End it with `/proofdesk unsubscribe`.';
export const botNotHere =
  'I am not in this channel, so I could not post here. Invite me with `/invite @Proofdesk`, then try again.';
export const channelArchived = 'This channel is archived. Unarchive it or use another one, then try again.';

export function unsubscribed(ended: readonly Subscription[]): string {
  if (ended.length === 0)
    return 'This channel was not subscribed to anything. Subscribe it with `/proofdesk subscribe`.';
  return 'This channel gets no new tasks and messages any more. The cards that are here stay, and their buttons work.';
}

export function noSuchCampaign(wanted: string): string {
  return `No campaign has the id or title “${inline(wanted, 80)}”. See them all with \`/campaign list\`.`;
}

export function severalCampaigns(wanted: string, found: readonly Campaign[]): string {
  const some = found
    .slice(0, 5)
    .map(({ id, title }) => `• ${inline(title, 80)}: \`/proofdesk subscribe ${inline(id, 80)}\``);
  const more = found.length > 5 ? `\nand ${found.length - 5} more` : '';
  return `Several campaigns match “${inline(wanted, 80)}”. Use the id of one:\n${some.join('\n')}${more}`;
}
