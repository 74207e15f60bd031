import type { ChannelId } from '../../domain/terms.ts';
import { channelName } from '../../slack/mrkdwn.ts';

/** To who subscribed a channel that cannot be posted to. @param code Slack's error */
export function channelFailureText(channel: ChannelId, code: string): string {
  const kept = 'Nothing is lost: what comes in meanwhile is posted when that is possible again.';
  const name = channelName(channel);
  switch (code) {
    case 'is_archived':
      return `${name} is archived, so new tasks cannot be posted there. Unarchive it, or type \`/proofdesk subscribe\` in another channel. ${kept}`;
    case 'not_in_channel':
      return `I am not in ${name} any more, so new tasks cannot be posted there. Invite me again with \`/invite @Proofdesk\`, or type \`/proofdesk subscribe\` in another channel. ${kept}`;
    default:
      return `I may not post in ${name}. Ask an administrator of the workspace to allow it, or type \`/proofdesk subscribe\` in another channel. ${kept}`;
  }
}
