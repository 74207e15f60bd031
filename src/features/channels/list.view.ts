import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import {
  type ChannelKind,
  ChannelSettings,
  channelKinds,
  mostOpenCards,
} from '../../domain/channel-settings.ts';
import { AccountId, ChannelId } from '../../domain/terms.ts';
import {
  actions,
  button,
  confirmation,
  context,
  input,
  type Message,
  modal,
  option,
  pageButtons,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { chosenMany, codec, typed, type Values } from '../../slack/form-values.ts';
import { channelName } from '../../slack/mrkdwn.ts';
import { blockStateCodec, listMessage, pageField } from '../../ui/list.view.ts';
import { capital, number } from '../../ui/words.ts';
import { titlesOf } from './subscriptions.view.ts';

/** State of a list: the account and the page. */
export const subscriptionListCodec = blockStateCodec(
  z.object({ account: AccountId.min(1), page: pageField }),
);
export type SubscriptionList = { readonly account: AccountId; readonly page: number };

type Scope = Pick<Campaign, 'id' | 'title'> | undefined;

/** A channel's subscriptions. */
export interface ChannelRow {
  readonly channel: ChannelId;
  /** The campaigns whose cards are posted there, and those whose digest it has; undefined stands for all. */
  readonly cards: readonly Scope[];
  readonly digests: readonly Scope[];
  readonly settings: ChannelSettings;
}

/** Returns a page of an account's channels with their subscriptions, and the buttons that change them. */
export function subscriptionsMessage({
  account,
  rows: { page, pages, here, count },
  inbox,
  mayChange,
  outcome,
}: {
  readonly account: AccountId;
  /** A page of the channels, and how many there are. */
  readonly rows: {
    readonly page: number;
    readonly pages: number;
    readonly here: readonly ChannelRow[];
    readonly count: number;
  };
  /** The channel of the account's inbox. */
  readonly inbox: ChannelId | undefined;
  /** Whether the reader may change subscriptions. */
  readonly mayChange: boolean;
  /** Outcome of the last action, in mrkdwn. */
  readonly outcome?: string | undefined;
}): Message {
  const state = { account, page };
  const texts = here.map(rowText);
  return listMessage({
    outcome,
    intro: introOf(count),
    rows: [inboxText(inbox), ...texts],
    blocks: [
      section(inboxText(inbox), {
        block_id: subscriptionListCodec.encode('subscriptions.inbox', state),
        ...(mayChange
          ? { accessory: button('Change…', 'subscriptions.inbox', 'inbox', { label: inboxLabel }) }
          : {}),
      }),
      ...here.flatMap((row, index) => rowBlocks(row, texts[index] ?? '', state, mayChange)),
      ...pageButtons({
        blockId: subscriptionListCodec.encode('subscriptions.pages', state),
        actionId: 'subscriptions.page',
        page,
        pages,
      }),
      ...(mayChange || count === 0 ? [] : [context('Managers and owners can change this.')]),
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
function rowText({ channel, cards, digests, settings }: ChannelRow): string {
  const muted = mutedWords(settings);
  return [
    `*${channelName(channel)}*`,
    `Cards: ${titlesOf(cards, 'all campaigns that have no channel of their own') || 'none'}.`,
    ...(digests.length === 0 ? [] : [`Digest: ${titlesOf(digests)}`]),
    `${capital(settingsWords(settings))}.`,
    ...(muted === '' ? [] : [muted]),
  ].join('\n');
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
      button('Settings…', 'subscriptions.settings', channel, { label: 'Settings of this channel' }),
      button('Unsubscribe', 'subscriptions.end', channel, {
        confirm: confirmation({
          title: 'Unsubscribe this channel?',
          text: 'New tasks, digests and inbox messages will no longer be posted there. Cards already there stay, and their buttons still work.',
          confirm: 'Unsubscribe',
          deny: 'Keep',
        }),
      }),
    ]),
  ];
}

/** Returns the outcome text for an unsubscribed channel, in mrkdwn. */
export const endedText = (channel: ChannelId): string =>
  `:white_check_mark: New tasks, digests and inbox messages are no longer posted in ${channelName(channel)}. Its cards stay, and their buttons still work.`;

/** Kinds that can be muted, in words for the middle of a sentence. */
const kindWords: Readonly<Record<ChannelKind, string>> = {
  daily: 'daily summaries',
  campaigns: 'campaign updates',
  reminders: 'due-task reminders',
};

/** Returns a channel's settings besides what is muted, in a few words. */
function settingsWords({ openCards, threads = false }: ChannelSettings): string {
  const cards =
    openCards === undefined
      ? 'default number of open cards'
      : openCards === 0
        ? 'no limit on open cards'
        : `at most ${openCards} open ${openCards === 1 ? 'card' : 'cards'}`;
  return `${cards}, notes by thread reply ${threads ? 'on' : 'off'}`;
}

/** Returns the muted kinds, as a sentence; '' if there are none. */
function mutedWords({ muted }: ChannelSettings): string {
  return muted.length === 0 ? '' : `Muted: ${muted.map((kind) => kindWords[kind]).join(', ')}.`;
}

/** State of a form above the list: the account, the page of the list, and where that list is. */
const openedFrom = { account: AccountId, page: z.number().int(), origin: Origin } as const;
const openAgain = 'Type `/proofdesk subscriptions`.';

export const inboxChannelState = codec('form', z.object(openedFrom), openAgain);

export const inboxInput = 'channel';

const inboxLabel = 'Change… where inbox messages go';

/** Returns the inbox channel, in mrkdwn. */
function inboxText(channel: ChannelId | undefined): string {
  if (channel === undefined)
    return '*Inbox messages* aren’t posted in any channel. Home shows how many are unread.';
  return `The channel for *inbox messages* is ${channelName(channel)}.`;
}

/** Returns the form for the inbox channel. */
export function inboxChannelModal(channel: ChannelId | undefined, state: string): ModalView {
  return modal({
    callbackId: 'subscriptions.inbox',
    title: 'Inbox messages',
    submit: 'Save',
    state,
    blocks: [
      section('Where messages from workers and the marketplace are posted.'),
      input(
        inboxInput,
        'Channel',
        {
          type: 'conversations_select',
          filter: { include: ['public', 'private'], exclude_bot_users: true },
          placeholder: plainText('No channel'),
          ...(channel === undefined ? {} : { initial_conversation: channel }),
        },
        {
          isOptional: true,
          hint: 'Invite Proofdesk first. Leave empty for no channel; Home shows how many are unread. Earlier messages stay.',
        },
      ),
    ],
  });
}

/** Returns the confirmation of a new inbox channel, in mrkdwn. */
export const inboxChosen = (channel: ChannelId | undefined): string =>
  channel === undefined
    ? ':white_check_mark: Inbox messages will no longer be posted in a channel. Home shows how many are unread.'
    : `:white_check_mark: New inbox messages will be posted in ${channelName(channel)}.`;

export const channelSettingsState = codec('form', z.object({ ...openedFrom, channel: ChannelId }), openAgain);

const inputs = { openCards: 'open-cards', threads: 'threads', muted: 'muted' } as const;

const optionOf = (kind: ChannelKind) => option(capital(kindWords[kind]), kind);
const threadsOption = option('Save thread replies that start with “note”', 'on');

/** Returns the form for a channel's settings. */
export function channelSettingsModal(
  channel: ChannelId,
  { openCards, threads = false, muted }: ChannelSettings,
  state: string,
): ModalView {
  const mutedOptions = channelKinds.filter((kind) => muted.includes(kind)).map(optionOf);
  return modal({
    callbackId: 'subscriptions.settings',
    title: 'Channel settings',
    submit: 'Save',
    state,
    blocks: [
      section(`What is posted in ${channelName(channel)}.`),
      input(
        inputs.openCards,
        'Maximum open cards',
        {
          type: 'number_input',
          is_decimal_allowed: false,
          min_value: '0',
          max_value: String(mostOpenCards),
          ...(openCards === undefined ? {} : { initial_value: String(openCards) }),
        },
        {
          isOptional: true,
          hint: 'Tasks over the limit are counted in one message. 0 means no limit; leave empty for the default.',
        },
      ),
      input(
        inputs.muted,
        'Mute in this channel',
        {
          type: 'checkboxes',
          options: channelKinds.map(optionOf),
          ...(mutedOptions.length > 0 ? { initial_options: mutedOptions } : {}),
        },
        { isOptional: true },
      ),
      input(
        inputs.threads,
        'Notes',
        {
          type: 'checkboxes',
          options: [threadsOption],
          ...(threads ? { initial_options: [threadsOption] } : {}),
        },
        { isOptional: true },
      ),
    ],
  });
}

/** Returns the settings chosen in the form, whose number Slack has checked. */
export function channelSettingsIn(values: Values): ChannelSettings {
  const openCards = typed(values, inputs.openCards);
  const muted = chosenMany(values, inputs.muted);
  return ChannelSettings.parse({
    ...(openCards === '' ? {} : { openCards: Number(openCards) }),
    threads: chosenMany(values, inputs.threads).includes('on'),
    muted: channelKinds.filter((kind) => muted.includes(kind)),
  });
}

/** Returns the outcome of saved settings, in mrkdwn. */
export const settingsStored = (channel: ChannelId): string =>
  `:white_check_mark: Settings of ${channelName(channel)} saved.`;
