import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { AccountId, type ChannelId, type MemberId } from '../../domain/terms.ts';
import { button, input, modal, plainText, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { Origin } from '../../slack/feature.ts';
import { channelName, user } from '../../slack/mrkdwn.ts';

export const inboxChannelForm = 'subscriptions.inbox';
export const openInboxChannel = 'subscriptions.inbox';

/** State of the form: the account, the page of the list it was opened from, and where that list is. */
export const inboxChannelState = codec(
  'form',
  z.object({
    account: AccountId,
    page: z.number().int(),
    origin: Origin,
  }),
  'Type `/proofdesk subscriptions`.',
);

export const inboxInput = 'channel';

/** The inbox channel of an account. */
export interface InboxRow {
  /** Absent: no channel. */
  readonly channel?: ChannelId;
  /** Whether it is muted there. */
  readonly isMuted?: boolean;
}

/** Returns the inbox channel, with a change button for those who may use it. */
export function inboxBlock(row: InboxRow, blockId: string, mayChange: boolean): KnownBlock {
  return section(inboxText(row), {
    block_id: blockId,
    ...(mayChange
      ? {
          accessory: button('Change…', openInboxChannel, 'inbox', {
            label: 'Change… where inbox messages go',
          }),
        }
      : {}),
  });
}

/** Returns the inbox channel, in mrkdwn. */
export function inboxText({ channel, isMuted = false }: InboxRow): string {
  if (channel === undefined)
    return '*Inbox messages* are posted in no channel. Home shows how many are unread.';
  return isMuted
    ? `*Inbox messages* go to ${channelName(channel)}, where they are muted. Home shows how many are unread.`
    : `*Inbox messages* go to ${channelName(channel)}.`;
}

/** Returns the form for the inbox channel. */
export function inboxChannelModal(channel: ChannelId | undefined, state: string): ModalView {
  return modal({
    callbackId: inboxChannelForm,
    title: 'Inbox messages',
    submit: 'Save',
    state,
    blocks: [
      section('Where messages of workers and of the marketplace are posted.'),
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
          hint: 'The app must be in it. Empty: in no channel; Home shows how many are unread. Messages that are there already stay.',
        },
      ),
    ],
  });
}

/** Returns the confirmation of a new inbox channel, in mrkdwn. */
export const inboxChosen = (channel: ChannelId | undefined): string =>
  channel === undefined
    ? ':white_check_mark: Inbox messages are posted in no channel from now on. Home shows how many are unread.'
    : `:white_check_mark: New inbox messages are posted in ${channelName(channel)} from now on.`;

/** Notice to the new inbox channel. */
export const inboxComesHere = (by: MemberId): string =>
  `${user(by)} chose this channel for new inbox messages of their account.`;

/** Notice to the previous inbox channel. */
export const inboxGoesElsewhere = (by: MemberId, to: ChannelId | undefined): string =>
  `${user(by)} chose ${to === undefined ? 'no channel' : channelName(to)} for new inbox messages of their account. The messages already here stay, and their buttons work.`;
