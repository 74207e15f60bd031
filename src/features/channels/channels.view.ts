import type { ChannelId } from '../../domain/terms.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import { channelName, link } from '../../slack/mrkdwn.ts';
import { capital, whyLost } from '../../ui/words.ts';

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
