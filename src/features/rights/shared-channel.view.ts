import { z } from 'zod';
import { AccountId, ChannelId } from '../../domain/terms.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import { channelName, plain } from '../../slack/mrkdwn.ts';
import { sharedConfirmation } from './settings.view.ts';

export const postInSharedAction = 'rights.shared.post';

export const sharedChannelValue = codec(
  'button',
  z.object({ account: AccountId, channel: ChannelId }),
  'Confirm the channel with `/proofdesk settings`.',
);

/** Returns the notice to an account's owners that a channel with its messages is shared with another company. */
export function sharedChannelMessage(account: AccountId, channel: ChannelId): Message {
  const text = `${channelName(channel)} is shared with another company, or somebody is about to share it. So nothing of your account at the marketplace is posted there until an owner confirms it: people of the other company would read it. New tasks wait; nothing is lost.`;
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions('rights.shared', [
        button('Post there', postInSharedAction, sharedChannelValue.encode({ account, channel }), {
          confirm: sharedConfirmation,
        }),
      ]),
    ],
  };
}
