import type { Message } from '../../slack/blocks.ts';
import { section } from '../../slack/blocks.ts';
import { link } from '../../slack/mrkdwn.ts';

/** Returns the private answer with the link to the desk. The text of its notification has no link. */
export function linkMessage(address: string): Message {
  return {
    text: 'Here is your link to the desk.',
    blocks: [
      section(
        `:key: *${link(address, 'Open the desk')}*\nThis link works once, within a minute, and only you should use it. It signs you in for 12 hours.`,
      ),
    ],
  };
}

export const noDesk = 'There is no desk here. Proofdesk’s operator can set one up with PUBLIC_URL.';
