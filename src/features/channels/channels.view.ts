import type { Campaign } from '../../domain/campaign.ts';
import type { ChannelId, MemberId } from '../../domain/terms.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import { channelName, inline, link } from '../../slack/mrkdwn.ts';
import { capital, channelFailureText } from '../../ui/words.ts';
import { titlesOf } from './subscriptions.view.ts';

/** What a member has subscribed a lost channel to. Without a campaign: a whole account. */
export interface LostScope {
  readonly by: MemberId | undefined;
  /** The channel in which its tasks continue; absent: they wait. */
  readonly to?: ChannelId | undefined;
  readonly campaign?: Pick<Campaign, 'id' | 'title'>;
}

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

/** Returns the notice to a subscriber of a lost channel: which tasks continue elsewhere, and that the others wait. */
export function lostText(channel: ChannelId, code: string, scopes: readonly LostScope[]): string {
  const moved = scopes.filter(({ to }) => to !== undefined);
  const where = [...new Set(moved.flatMap(({ to }) => to ?? []))].map(channelName).join(', ');
  const continues = `Open and new tasks of ${titlesOf(moved.map(({ campaign }) => campaign))} continue in ${where}, the most urgent first. Nothing is lost.`;
  return [
    ...(moved.length > 0 ? [`${capital(whyLost(channel, code))}. ${continues}`] : []),
    ...(scopes.length > moved.length ? [channelFailureText(channel, code)] : []),
  ].join('\n');
}

/** Returns the notice in the channel where a lost channel's tasks continue. */
export function continuesHere(channel: ChannelId, code: string, moved: readonly LostScope[]): Message {
  const titles = titlesOf(moved.map(({ campaign }) => campaign));
  return notice(
    `The tasks of ${titles} continue here, because ${whyLost(channel, code)}. Open tasks follow, the most urgent first.`,
  );
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
