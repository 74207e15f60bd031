import type { ChannelId } from '../../domain/terms.ts';
import { channelName } from '../../slack/mrkdwn.ts';

/** Returns the text for the subscribers of a channel that cannot be posted to. @param code Slack's error */
export function channelFailureText(channel: ChannelId, code: string): string {
  const nothingLost = 'Nothing is lost: what arrives meanwhile is posted once that works again.';
  const allowOrElse =
    'Ask an administrator of the workspace to allow it, or type `/proofdesk subscribe` in another channel.';
  const name = channelName(channel);
  switch (code) {
    case 'is_archived':
      return `${name} is archived, so new tasks cannot be posted there. Unarchive it, or type \`/proofdesk subscribe\` in another channel. ${nothingLost}`;
    case 'not_in_channel':
      return `Proofdesk is no longer in ${name}, so new tasks cannot be posted there. Invite it again with \`/invite @Proofdesk\`, or type \`/proofdesk subscribe\` in another channel. ${nothingLost}`;
    case 'channel_deleted':
      return `${name} was deleted, so its open tasks wait. Type \`/proofdesk subscribe\` in another channel: they follow there. Nothing is lost.`;
    case 'channel_not_found':
      return `${name} was deleted, or is private and Proofdesk is no longer in it, so its open tasks wait. Invite Proofdesk again with \`/invite @Proofdesk\`, or type \`/proofdesk subscribe\` in another channel: they follow there. Nothing is lost.`;
    case 'restricted_action_read_only_channel':
      return `${name} is read-only, so new tasks cannot be posted there. ${allowOrElse} ${nothingLost}`;
    case 'restricted_action_thread_only_channel':
      return `${name} takes only replies in threads, so new tasks cannot be posted there. ${allowOrElse} ${nothingLost}`;
    default:
      return `Proofdesk is not allowed to post in ${name}. ${allowOrElse} ${nothingLost}`;
  }
}
