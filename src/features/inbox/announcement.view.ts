import type { ModalView } from '@slack/types';
import type { Announcement } from '../../domain/announcement.ts';
import type { AccountId, ChannelId } from '../../domain/terms.ts';
import type { Message as ReadMessage } from '../../marketplace/index.ts';
import { actions, button, context, type Message, modal, section } from '../../slack/blocks.ts';
import { date, inline, piecesWithin, plain, preformatted, user } from '../../slack/mrkdwn.ts';
import { messageState } from './message-state.ts';

/** Draws the announcement of an inbox message: its first post and every update. */
export function announcementMessage(account: AccountId, message: Announcement): Message {
  const subject = inline(message.subject, 200) || 'No subject';
  const facts = [
    message.sentAt === undefined ? undefined : date(message.sentAt),
    message.messageType === '' ? undefined : inline(message.messageType, 60),
    message.hasAttachment ? 'with an attachment, which the website shows' : undefined,
  ].filter((fact) => fact !== undefined);
  const state = stateOf(message);
  const buttons = message.trashed
    ? []
    : [
        actions(`inbox/${account}`, [
          button('Read', 'inbox.read', message.id, message.unread ? { style: 'primary' } : {}),
          button('Trash', 'inbox.trash', message.id),
        ]),
      ];
  const blocks = [
    section(
      `${message.unread ? ':envelope:' : ':envelope_with_arrow:'} *${subject}*${facts.length > 0 ? `\n${facts.join(' · ')}` : ''}`,
    ),
    ...(state ? [context(state)] : []),
    ...buttons,
  ];
  return { text: plain(`${message.unread ? 'New message' : 'Message'}: ${subject}`), blocks };
}

function stateOf({ trashed, trashedBy, unread, readBy }: Announcement): string | undefined {
  if (trashed) return trashedBy ? `Moved to the trash by ${user(trashedBy)}` : 'Not in the inbox any more';
  if (unread) return undefined;
  return readBy ? `Read by ${user(readBy)}` : 'Read on the website';
}

export function loadingMessage(): ModalView {
  return modal({ callbackId: 'inbox.message', title: 'Message', blocks: [section('Fetching the message…')] });
}

/** Room for the text of a message, beside everything else of its modal. */
const bodyBytes = 180_000;

/** The message itself, in a modal. @param channel where it was opened; absent: in no channel */
export function openedMessage(
  account: AccountId,
  message: Pick<ReadMessage, 'id' | 'subject' | 'sentAt' | 'body' | 'hasAttachment' | 'folder'>,
  channel?: ChannelId,
): ModalView {
  const when = message.sentAt ? [context(date(message.sentAt.getTime()))] : [];
  const { pieces, isCut } = piecesWithin(message.body, bodyBytes);
  const body =
    pieces.length === 0
      ? [section('_This message has no text._')]
      : pieces.map((piece) => section(preformatted(piece, piece.length)));
  const attachment = message.hasAttachment
    ? [context('It has an attachment, which only the website shows.')]
    : [];
  const rest = isCut ? [context('The rest is too long for Slack: read it on the website.')] : [];
  const trash =
    message.folder === 'TRASH'
      ? []
      : [actions(`inbox/${account}`, [button('Move to the trash', 'inbox.trash', message.id)])];
  return modal({
    callbackId: 'inbox.message',
    title: 'Message',
    state: messageState.encode(channel === undefined ? {} : { channel }),
    blocks: [
      section(`*${inline(message.subject, 300) || 'No subject'}*`),
      ...when,
      ...body,
      ...rest,
      ...attachment,
      ...trash,
    ],
  });
}

/** A message was fetched, which marks it as read, but its modal was closed before it came. */
export const readUnseen =
  'The message was fetched and counts as read now, but could not be shown in its window. Press Read to see it.';
export const movedToTrash = ':white_check_mark: The message is in the trash now.';

/** In place of the message: that it cannot be had, or what became of it. @param sentence mrkdwn */
export function noteMessage(sentence: string): ModalView {
  return modal({ callbackId: 'inbox.message', title: 'Message', blocks: [section(sentence)] });
}
