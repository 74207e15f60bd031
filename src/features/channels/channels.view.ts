import type { ChannelId } from '../../domain/terms.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import { channelName, link } from '../../slack/mrkdwn.ts';
import { capital, channelFailureText } from '../../ui/words.ts';

/** Returns why nothing can be posted or updated in a channel, as the start of a sentence. @param code Slack's error */
function whyLost(channel: ChannelId, code: string): string {
  const name = channelName(channel);
  switch (code) {
    case 'is_archived':
      return `${name} is archived`;
    case 'channel_not_found':
      return `${name} was deleted, or is private and Proofdesk is no longer in it`;
    default:
      return `Proofdesk is no longer in ${name}`;
  }
}

/**
 * Returns the notice to a subscriber of a lost channel. @param to the channels in which its tasks continue
 * @param isWaiting whether some of them wait instead
 */
export function lostText(
  channel: ChannelId,
  code: string,
  to: readonly ChannelId[],
  isWaiting: boolean,
): string {
  const continues = `${capital(whyLost(channel, code))}. ${isWaiting ? 'Some of its' : 'Its'} tasks continue in ${to.map(channelName).join(', ')}, the most urgent first. Nothing is lost.`;
  return [
    ...(to.length > 0 ? [continues] : []),
    ...(isWaiting ? [channelFailureText(channel, code)] : []),
  ].join('\n');
}

/** Returns the notice in the channel where a lost channel's tasks continue. */
export function continuesHere(channel: ChannelId, code: string): Message {
  return notice(
    `${capital(whyLost(channel, code))}, so its tasks continue here. Open tasks follow, the most urgent first.`,
  );
}

/** Renders the stub of a card that continues in another channel. @param address a link to it */
export function movedCard(to: ChannelId | undefined, address: string | undefined): Message {
  const where = to === undefined ? 'elsewhere' : `in ${channelName(to)}`;
  const there = address === undefined ? where : `${where}: ${link(address, 'open it')}`;
  return notice(`:arrow_right: This task continues ${there}.`);
}
