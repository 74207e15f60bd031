import { campaignTitleOf } from '../domain/campaign.ts';
import { reminderHours } from '../domain/live-message.ts';
import type { Role } from '../domain/permissions.ts';
import type { CampaignId, ChannelId, MemberId, Rating } from '../domain/terms.ts';
import { channelName, cut, inline, user } from '../slack/mrkdwn.ts';

/** Numbers of tasks: overdue ones, and those due within each of {@link reminderHours}, overdue ones included. */
interface DueCounts {
  readonly late: number;
  readonly within: readonly number[];
}

/** Returns how many tasks are overdue, and how many more are due within which hours: a line each in mrkdwn, if any are. */
export function dueLines({ late, within }: DueCounts): string[] {
  const lines = late > 0 ? [`• *${number(late)}* ${overdueWords(late)}`] : [];
  let counted = late;
  for (const [index, hours] of reminderHours.entries()) {
    const all = within[index] ?? 0;
    if (all > counted)
      lines.push(`• *${number(all - counted)}*${counted > 0 ? ' more' : ''} within ${hours} hours`);
    counted = all;
  }
  return lines;
}

/** Returns that this many tasks are overdue, without their number. */
export function overdueWords(count: number): string {
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${are} overdue: the marketplace may approve ${them}`;
}

/** Returns `12,000`. */
export function number(count: number): string {
  return count.toLocaleString('en');
}

/** Returns `1 task`, `12 tasks`. */
export function counted(count: number, of: string): string {
  return `${number(count)} ${of}${count === 1 ? '' : 's'}`;
}

/** Returns a campaign's title in mrkdwn, or its id if the title is unknown or empty. */
export function campaignName(title: string | undefined, id: CampaignId, max?: number): string {
  return inline(campaignTitleOf(id, title), max);
}

const longest = 60;

/** Returns a person's name and id at the marketplace, in mrkdwn. @param name '' if unknown */
export function nameWithId(name: string, id: string): string {
  const shown = inline(name, longest);
  return shown === '' ? inline(id, longest) : `${shown} (${inline(id, longest)})`;
}

/** Returns the same as plain text, without formatting. */
export function plainNameWithId(name: string, id: string): string {
  const [shownName = '', shownId = ''] = [name, id].map((text) =>
    cut(text.replace(/\s+/g, ' ').trim(), longest),
  );
  return shownName === '' ? shownId : `${shownName} (${shownId})`;
}

export const ratingEmoji: Readonly<Record<Rating, string>> = {
  OK: ':white_check_mark:',
  NOK: ':x:',
  REVISE: ':leftwards_arrow_with_hook:',
  NOTRATED: ':radio_button:',
  NOTREVIEWED: ':mag:',
};

/** What the rating of a task is called in lists and figures, in the order there. */
export const ratingWords: Readonly<Record<Rating, string>> = {
  OK: 'OK',
  NOK: 'NOK',
  REVISE: 'Revision requested',
  NOTRATED: 'Waiting',
  NOTREVIEWED: 'At the marketplace',
};

/** Roles with their article, as used in sentences. */
export const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'a viewer',
  reviewer: 'a reviewer',
  manager: 'a manager',
  owner: 'an owner',
};

/** Returns `@Ann, @Ben were asked`, in mrkdwn. */
export function wereAsked(members: readonly MemberId[]): string {
  return `${members.map(user).join(', ')} ${members.length === 1 ? 'was' : 'were'} asked`;
}

/** Returns the text for the subscribers of a channel that cannot be posted to. @param code Slack's error */
export function channelFailureText(channel: ChannelId, code: string): string {
  const nothingLost = 'Nothing is lost: new tasks will be posted when posting works again.';
  const name = channelName(channel);
  switch (code) {
    case 'is_archived':
      return `${name} is archived, so new tasks cannot be posted there. Unarchive it, or type \`/proofdesk subscribe\` in another channel. ${nothingLost}`;
    case 'not_in_channel':
      return `Proofdesk is no longer in ${name}, so new tasks cannot be posted there. Invite it again with \`/invite @Proofdesk\`, or type \`/proofdesk subscribe\` in another channel. ${nothingLost}`;
    case 'channel_not_found':
      return `${name} was deleted, or is private and Proofdesk is no longer in it, so its open tasks are waiting. Invite Proofdesk again with \`/invite @Proofdesk\`, or type \`/proofdesk subscribe\` in another channel: they’ll appear there. Nothing is lost.`;
    default:
      return `Proofdesk is not allowed to post in ${name}. Ask a workspace admin to allow it, or type \`/proofdesk subscribe\` in another channel. ${nothingLost}`;
  }
}

/** Returns why nothing can be posted or updated in a channel, as the start of a sentence. @param code Slack's error */
export function whyLost(channel: ChannelId, code: string): string {
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

/** Returns `12 of 18 accepted`; more than all are `18 of 18 accepted, and 1 more`. */
export function partOf(part: number, all: number, words: string): string {
  const more = part > all ? `, and ${number(part - all)} more` : '';
  return `${number(Math.min(part, all))} of ${number(all)} ${words}${more}`;
}

/** Returns those of some facts that there are, on one line. */
export function joined(facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(' · ');
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
