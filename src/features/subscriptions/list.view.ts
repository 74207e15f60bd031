import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import type { ChannelSettings } from '../../domain/channel-settings.ts';
import { AccountId, type CampaignId, type ChannelId } from '../../domain/terms.ts';
import { actions, button, confirmation, context, type Message, section } from '../../slack/blocks.ts';
import { channelName, inline } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf } from '../../slack/paging.ts';
import { blockStateCodec, listMessage, pageField } from '../../ui/list.view.ts';
import { number } from '../../ui/words.ts';
import { mutedWords, settingsWords } from './channel-words.ts';
import { digestsText } from './digest.view.ts';
import { type InboxRow, inboxBlock, inboxText } from './inbox-channel.view.ts';
import { openChannelSettings } from './settings.view.ts';

/** State of a list: the account and the page. */
export const subscriptionListCodec = blockStateCodec(
  z.object({ account: AccountId.min(1), page: pageField }),
);
export type SubscriptionList = { readonly account: AccountId; readonly page: number };

/** Action id of buttons elsewhere that open the list. */
export const openList = 'subscriptions.open';
export const pageAction = 'subscriptions.page';
export const endAction = 'subscriptions.end';

/** A channel's subscriptions. */
export interface ChannelRow {
  readonly channel: ChannelId;
  /** Whether it gets the cards of the account's campaigns without their own channel. */
  readonly hasAccount: boolean;
  /** The campaigns whose cards are posted there. */
  readonly campaigns: readonly Pick<Campaign, 'id' | 'title'>[];
  /** Whether the account's inbox is posted there. */
  readonly hasInbox: boolean;
  /** The campaigns whose digest it has; undefined stands for all. */
  readonly digests?: readonly (Pick<Campaign, 'id' | 'title'> | undefined)[];
  readonly settings: ChannelSettings;
  /** IANA zone of its times. */
  readonly zone: string;
}

/** Maximum number of campaigns named per channel. */
const namedCampaigns = 5;

/** Returns a page of an account's channels with their subscriptions, and the buttons that change them. */
export function subscriptionsMessage({
  list,
  rows,
  inbox,
  mayChange,
  outcome,
}: {
  readonly list: SubscriptionList;
  readonly rows: readonly ChannelRow[];
  /** Where the account's inbox goes. */
  readonly inbox: InboxRow;
  /** Whether the reader may change subscriptions. */
  readonly mayChange: boolean;
  /** Outcome of the last action, in mrkdwn. */
  readonly outcome?: string | undefined;
}): Message {
  const { page, pages, here } = pageOf(rows, list.page);
  const state = { ...list, page };
  const texts = here.map(rowText);
  return listMessage({
    outcome,
    intro: introOf(rows.length),
    rows: [inboxText(inbox), ...texts],
    blocks: [
      inboxBlock(inbox, subscriptionListCodec.encode('subscriptions.inbox', state), mayChange),
      ...here.flatMap((row, index) => rowBlocks(row, texts[index] ?? '', state, mayChange)),
      ...pageButtons({
        blockId: subscriptionListCodec.encode('subscriptions.pages', state),
        actionId: pageAction,
        page,
        pages,
      }),
      ...(mayChange || rows.length === 0
        ? []
        : [context('A manager or an owner of the account can change this.')]),
    ],
  });
}

function introOf(channels: number): string {
  if (channels === 0)
    return 'No channel gets posts from this account. To subscribe one, type `/proofdesk subscribe` there.';
  const count = channels === 1 ? '*1 channel* gets' : `*${number(channels)} channels* get`;
  return `${count} posts from this account.`;
}

/** Returns a channel's subscriptions, in mrkdwn. */
function rowText({
  channel,
  hasAccount,
  campaigns,
  digests = [],
  hasInbox,
  settings,
  zone,
}: ChannelRow): string {
  const muted = mutedWords(settings);
  const counted = digestsText(digests);
  return [
    `*${channelName(channel)}*`,
    `Cards: ${cardsText(hasAccount, campaigns)}. Inbox messages: ${hasInbox ? 'yes' : 'no'}.`,
    ...(counted === '' ? [] : [counted]),
    sentence(settingsWords(settings, inline(zone, 60)).join(', ')),
    ...(muted === '' ? [] : [muted]),
  ].join('\n');
}

function cardsText(hasAccount: boolean, campaigns: ChannelRow['campaigns']): string {
  const named = campaigns
    .slice(0, namedCampaigns)
    .map(({ id, title }) => `*${inline(title, 80) || `Campaign ${inline(id, 80)}`}*`);
  const more = campaigns.length - named.length;
  const own = [...named, ...(more > 0 ? [`${number(more)} more`] : [])].join(', ');
  if (!hasAccount) return own === '' ? 'none' : own;
  return `all campaigns without a channel of their own${own === '' ? '' : `, and ${own}`}`;
}

function rowBlocks(
  { channel }: ChannelRow,
  text: string,
  state: SubscriptionList,
  mayChange: boolean,
): KnownBlock[] {
  if (!mayChange) return [section(text)];
  return [
    section(text),
    actions(subscriptionListCodec.encode(`subscriptions.${channel}`, state), [
      button('Settings…', openChannelSettings, channel, { label: 'Settings of this channel' }),
      button('Unsubscribe', endAction, channel, {
        confirm: confirmation({
          title: 'Unsubscribe this channel?',
          text: 'New tasks, digests and inbox messages will no longer be posted there. The cards already there stay, and their buttons work.',
          confirm: 'Unsubscribe',
          deny: 'Keep',
        }),
      }),
    ]),
  ];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Returns the outcome text for an unsubscribed channel, in mrkdwn. */
export const endedText = (channel: ChannelId): string =>
  `:white_check_mark: New tasks, digests and inbox messages are no longer posted in ${channelName(channel)}. Its cards stay, and their buttons work.`;

/** Returns campaigns with titles; those no longer listed have only their id. */
export function campaignsOf(
  ids: readonly CampaignId[],
  listed: ReadonlyMap<CampaignId, Pick<Campaign, 'id' | 'title'>>,
): ChannelRow['campaigns'] {
  return ids.map((id) => listed.get(id) ?? { id, title: '' });
}
