import type { ModalView } from '@slack/types';
import type { Announcement } from '../../domain/announcement.ts';
import type { AccountId } from '../../domain/terms.ts';
import type { Message as ReadMessage } from '../../marketplace/index.ts';
import { actions, button, confirmation, context, type Message, modal, section } from '../../slack/blocks.ts';
import { dateAtStart, inline, piecesWithin, plain, preformatted, user } from '../../slack/mrkdwn.ts';
import { type MessageState, messageState } from './message-state.ts';
import { type NamedTask, namedTaskBlocks } from './named-tasks.view.ts';

/**
 * Renders the announcement of an inbox message, for its first post and every update. @param named the tasks that its
 * subject names
 */
export function announcementMessage(
  account: AccountId,
  message: Announcement,
  named: readonly NamedTask[] = [],
): Message {
  const none = message.subjectRemovedAt === undefined ? 'No subject' : 'Subject no longer stored';
  const subject = inline(message.subject, 200) || none;
  const facts = [
    message.sentAt === undefined ? undefined : dateAtStart(message.sentAt),
    message.messageType === '' ? undefined : inline(message.messageType, 60),
    message.hasAttachment ? 'with an attachment (open it on the website)' : undefined,
  ].filter((fact) => fact !== undefined);
  const status = statusText(message);
  const buttons = message.trashed
    ? []
    : [
        actions(`inbox/${account}`, [
          button('Read', 'inbox.read', message.id, message.unread ? { style: 'primary' } : {}),
          button('Move to the trash', 'inbox.trash', message.id, {
            confirm: trashConfirmation('this message'),
          }),
        ]),
      ];
  const blocks = [
    section(
      `${message.unread ? ':envelope:' : ':envelope_with_arrow:'} *${subject}*${facts.length > 0 ? `\n${facts.join(' · ')}` : ''}`,
    ),
    ...(status ? [context(status)] : []),
    ...namedTaskBlocks(named),
    ...buttons,
  ];
  return { text: plain(`${message.unread ? 'New message' : 'Message'}: ${subject}`), blocks };
}

function statusText({ trashed, trashedBy, unread, readBy }: Announcement): string | undefined {
  if (trashed) return trashedBy ? `Moved to the trash by ${user(trashedBy)}` : 'No longer in the inbox';
  if (unread) return undefined;
  return readBy ? `Read by ${user(readBy)}` : 'Read elsewhere';
}

/** Returns the modal shown while a message is loading. */
export function loadingModal(): ModalView {
  return messageStatusModal('Loading the message…');
}

/** Bytes available for the message's text in a modal. */
const maxBodyBytes = 180_000;

/**
 * Returns the modal that shows a message.
 * @param named the tasks that its subject and text name
 */
export function messageModal(
  account: AccountId,
  message: Pick<ReadMessage, 'id' | 'subject' | 'sentAt' | 'body' | 'hasAttachment' | 'folder'>,
  state: MessageState,
  named: readonly NamedTask[] = [],
): ModalView {
  const when = message.sentAt ? [context(dateAtStart(message.sentAt.getTime()))] : [];
  const { pieces, isCut } = piecesWithin(message.body, maxBodyBytes);
  const body =
    pieces.length === 0
      ? [section('_This message has no text._')]
      : pieces.map((piece) => section(preformatted(piece, piece.length)));
  const attachment = message.hasAttachment ? [context('It has an attachment: open it on the website.')] : [];
  const rest = isCut ? [context('The rest is too long for Slack: read it on the website.')] : [];
  const trash =
    message.folder === 'TRASH'
      ? []
      : [
          actions(`inbox/${account}`, [
            button('Move to the trash', 'inbox.trash', message.id, {
              confirm: trashConfirmation('this message'),
            }),
          ]),
        ];
  return modal({
    callbackId: 'inbox.message',
    title: 'Message',
    state: messageState.encode(state),
    blocks: [
      section(`*${inline(message.subject, 300) || 'No subject'}*`),
      ...when,
      ...namedTaskBlocks(named),
      ...body,
      ...rest,
      ...attachment,
      ...trash,
    ],
  });
}

/** A message was loaded, but its modal had been closed. */
export const readButNotShown = 'The message was loaded but could not be shown. Press Read to see it.';
export const movedToTrash = ':white_check_mark: The message is in the trash now.';

/** Returns the modal with a message's status in place of its content. @param sentence mrkdwn */
export function messageStatusModal(sentence: string): ModalView {
  return modal({ callbackId: 'inbox.message', title: 'Message', blocks: [section(sentence)] });
}

/** Returns the confirmation before messages are moved to the trash. @param what the messages, in plain text */
export function trashConfirmation(what: string): ReturnType<typeof confirmation> {
  return confirmation({
    title: 'Move to the trash?',
    text: `This moves ${what} to the trash at the marketplace, for everybody who uses the account. It cannot be taken back here.`,
    confirm: 'Move to the trash',
    deny: 'Cancel',
    isDanger: true,
  });
}
