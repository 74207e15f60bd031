import type { KnownBlock } from '@slack/types';
import { button, section } from '../../slack/blocks.ts';

/** Opens the inbox; see src/features/inbox/list.ts. */
const openInbox = 'inbox.open';

/** Returns the unread count of the inbox with a button that opens it; nothing where a channel receives the messages. */
export function unreadBlocks(unread: number | undefined): KnownBlock[] {
  if (unread === undefined || unread === 0) return [];
  const messages =
    unread === 1 ? '*1 inbox message* is' : `*${unread.toLocaleString('en')} inbox messages* are`;
  return [
    section(`${messages} unread.`, {
      block_id: 'home.unread',
      accessory: button('Open inbox', openInbox, 'none'),
    }),
  ];
}
