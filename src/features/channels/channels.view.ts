import type { ChannelId } from '../../domain/terms.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import { channelName, inline, link } from '../../slack/mrkdwn.ts';
import { capital } from '../../ui/words.ts';

/** Tasks whose cards go to another channel while their own is lost. */
export interface MovedScope {
  readonly campaignTitle: string;
  readonly to: ChannelId;
}

/** Maximum number of campaigns named in a notice. */
const maxTitles = 10;

/** Returns why nothing can be posted or updated in a channel, as the start of a sentence. @param code Slack's error */
export function whyLost(channel: ChannelId, code: string): string {
  const name = channelName(channel);
  switch (code) {
    case 'is_archived':
      return `${name} is archived`;
    case 'channel_deleted':
      return `${name} was deleted`;
    case 'channel_not_found':
      return `${name} was deleted, or is private and Proofdesk is no longer in it`;
    default:
      return `Proofdesk is no longer in ${name}`;
  }
}

/** Returns the notice to the subscribers of a lost channel that its tasks continue elsewhere. */
export function movedText(channel: ChannelId, code: string, moved: readonly MovedScope[]): string {
  const why = whyLost(channel, code);
  const where = moved
    .slice(0, maxTitles)
    .map(
      ({ campaignTitle, to }) =>
        `Open and new tasks of *${inline(campaignTitle)}* continue in ${channelName(to)}, the most urgent first.`,
    );
  return `${capital(why)}. ${where.join(' ')} Nothing is lost.`;
}

/** Returns the notice in the channel where a lost channel's tasks continue. */
export function continuesHere(channel: ChannelId, code: string, titles: readonly string[]): Message {
  const campaigns = titles.slice(0, maxTitles).map((title) => `*${inline(title)}*`);
  const more = titles.length > maxTitles ? ` and ${titles.length - maxTitles} more campaigns` : '';
  const text = `The tasks of ${campaigns.join(', ')}${more} continue here, because ${whyLost(channel, code)}. Open tasks follow, the most urgent first.`;
  return notice(text);
}

/** Renders the stub of a card or announcement that continues in another channel. @param address a link to it */
export function movedMessage(what: string, to: ChannelId | undefined, address: string | undefined): Message {
  const where = to === undefined ? 'elsewhere' : `in ${channelName(to)}`;
  const there = address === undefined ? where : `${where}: ${link(address, 'open it')}`;
  const text = `:arrow_right: ${what} continues ${there}.`;
  return notice(text);
}

/** Returns the subject of a moved card. */
export function movedTask(campaignTitle: string): string {
  return `*${inline(campaignTitle)}*: this task`;
}

/** Returns the subject of a moved announcement. */
export function movedAnnouncement(subject: string): string {
  return `The message *${inline(subject)}*`;
}
