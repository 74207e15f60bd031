import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import type { ChannelSettings } from '../../domain/channel-settings.ts';
import { AccountId, type CampaignId, type ChannelId } from '../../domain/terms.ts';
import { actions, button, context, type Message, section } from '../../slack/blocks.ts';
import { confirmation } from '../../slack/confirmation.ts';
import { channelName, inline } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf } from '../../slack/paging.ts';
import { blockStateCodec, pageField } from '../shared/block-state.ts';
import { listMessage } from '../shared/list.view.ts';
import { mutedWords, settingsWords } from './channel-words.ts';
import { digestsText } from './digest.view.ts';
import { type InboxRow, inboxBlock, inboxText } from './inbox-channel.view.ts';
import { openChannelSettings } from './settings.view.ts';

/** Which page of whose subscriptions a list shows. */
export const subscriptionListCodec = blockStateCodec(
  z.object({ account: AccountId.min(1), page: pageField }),
);
export type SubscriptionList = { readonly account: AccountId; readonly page: number };

/** The button elsewhere that opens the list. */
export const openList = 'subscriptions.open';
export const pageAction = 'subscriptions.page';
export const endAction = 'subscriptions.end';

/** What one channel gets. */
export interface ChannelRow {
  readonly channel: ChannelId;
  /** Whether the cards of the account's campaigns are posted there, those without a channel of their own. */
  readonly hasAccount: boolean;
  /** The campaigns whose cards are posted there. */
  readonly campaigns: readonly Pick<Campaign, 'id' | 'title'>[];
  /** Whether the account's inbox is posted there. */
  readonly hasInbox: boolean;
  /** The campaigns whose digest it has; undefined stands for all. */
  readonly digests?: readonly (Pick<Campaign, 'id' | 'title'> | undefined)[];
  readonly settings: ChannelSettings;
  /** The zone in which its times are meant (IANA). */
  readonly zone: string;
}

/** How many campaigns of a channel are named. */
const namedCampaigns = 5;

/** Returns what every channel of an account gets, a page of them, with the buttons that change it. */
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
  /** Whether the reader may change what channels get. */
  readonly mayChange: boolean;
  /** What has just been done, in mrkdwn. */
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
  const count = channels === 1 ? '*1 channel* gets' : `*${channels.toLocaleString('en')} channels* get`;
  return `${count} posts from this account.`;
}

/** Returns what a channel gets, in mrkdwn. */
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
  const own = [...named, ...(more > 0 ? [`${more.toLocaleString('en')} more`] : [])].join(', ');
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
          text: 'New tasks are no longer posted there. The cards already there stay, and their buttons work.',
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

/** Says in the list that a channel was unsubscribed, in mrkdwn. */
export const endedText = (channel: ChannelId): string =>
  `:white_check_mark: New tasks are no longer posted in ${channelName(channel)}. Its cards stay, and their buttons work.`;

/** Names the campaigns that are no longer listed by their id alone. */
export function campaignsOf(
  ids: readonly CampaignId[],
  listed: ReadonlyMap<CampaignId, Pick<Campaign, 'id' | 'title'>>,
): ChannelRow['campaigns'] {
  return ids.map((id) => listed.get(id) ?? { id, title: '' });
}
