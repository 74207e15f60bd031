import type { KnownBlock } from '@slack/types';
import type { ChannelId } from '../../domain/terms.ts';
import { context, section } from '../../slack/blocks.ts';
import { channelName, date, inline } from '../../slack/mrkdwn.ts';
import { number } from '../../ui/words.ts';
import { connectButton } from '../accounts/public.ts';

/** A problem only people can fix. `waiting`: the number of tasks, decisions or messages it blocks. */
export type NeedsAttention = { readonly since: number; readonly waiting: number } & (
  | {
      readonly kind: 'channel';
      readonly channel: ChannelId;
      /** Slack's error. */
      readonly code: string;
      /** Whether its tasks continue in another channel. */
      readonly isReplaced: boolean;
    }
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'results'; readonly campaignTitle: string }
);

/** Maximum number of listed problems, for readability; the tab has room for more. */
const maxListed = 10;

/** Renders the problems that need people, one line each with what to do; nothing if there are none. */
export function attentionBlocks(all: readonly NeedsAttention[]): KnownBlock[] {
  if (all.length === 0) return [];
  const more = all.length - maxListed;
  return [
    section('*Needs attention*'),
    ...all.slice(0, maxListed).map(line),
    ...(more > 0 ? [context(`And ${number(more)} more.`)] : []),
    { type: 'divider' },
  ];
}

function line(one: NeedsAttention): KnownBlock {
  const { what, todo } = wording(one);
  const text = `:warning: ${what} Since ${date(one.since)}.${waitingText(one)} ${todo}`;
  if (one.kind === 'key') return section(text, { accessory: connectButton({}) });
  return section(text);
}

function wording(one: NeedsAttention): { what: string; todo: string } {
  switch (one.kind) {
    case 'key':
      return {
        what: `The marketplace no longer accepts the API key of *${inline(one.name, 80)}*.`,
        todo: 'Connect with a new key.',
      };
    case 'results':
      return {
        what: `The results of *${inline(one.campaignTitle)}* cannot be read completely, so tasks may be missing here.`,
        todo: 'Look at them at the marketplace; if this continues, tell your administrator.',
      };
    case 'channel':
      return channelWording(one);
  }
}

const subscribeElsewhere = 'type `/proofdesk subscribe` in another channel that only your company reads';

function channelWording(one: Extract<NeedsAttention, { kind: 'channel' }>): { what: string; todo: string } {
  const name = channelName(one.channel);
  const where = one.isReplaced ? ' Its tasks continue in the account’s channel.' : '';
  const orElse = one.isReplaced ? '.' : `, or ${subscribeElsewhere}.`;
  switch (one.code) {
    case 'is_archived':
      return { what: `${name} is archived.${where}`, todo: `Unarchive it${orElse}` };
    case 'not_in_channel':
      return {
        what: `Proofdesk is no longer in ${name}.${where}`,
        todo: `Invite it with \`/invite @Proofdesk\`${orElse}`,
      };
    case 'channel_deleted':
    case 'channel_not_found':
      return {
        what: `${name} was deleted, or is hidden from Proofdesk.${where}`,
        todo: `To choose a new one, ${subscribeElsewhere}.`,
      };
    default:
      return {
        what: `Proofdesk is not allowed to post in ${name}.`,
        todo: `Ask an administrator of the workspace to allow it${orElse}`,
      };
  }
}

function waitingText({ kind, waiting }: NeedsAttention): string {
  if (waiting === 0) return '';
  const [one, many] = kind === 'key' ? ['decision waits', 'decisions wait'] : ['task waits', 'tasks wait'];
  return ` ${number(waiting)} ${waiting === 1 ? one : many}; nothing is lost.`;
}
