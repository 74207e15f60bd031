import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Announcement } from '../../domain/live-message.ts';
import { AccountId } from '../../domain/terms.ts';
import type { MessageSummary, Message as ReadMessage } from '../../marketplace/index.ts';
import {
  actions,
  button,
  confirmation,
  context,
  type Message,
  modal,
  pageButtons,
  pageOf,
  rowsPerPage,
  section,
} from '../../slack/blocks.ts';
import { Origin } from '../../slack/feature.ts';
import { codec } from '../../slack/form-values.ts';
import {
  date,
  dateAtStart,
  inline,
  link,
  piecesWithin,
  plain,
  preformatted,
  user,
} from '../../slack/mrkdwn.ts';
import {
  blockStateCodec,
  choice,
  dayField,
  dayFilter,
  daysText,
  listMessage,
  pageField,
  zoneNote,
} from '../../ui/list.view.ts';
import { counted, joined, number } from '../../ui/words.ts';

/** Filter of an inbox list. */
const inboxList = z.object({
  account: AccountId.min(1),
  folder: z.enum(['INBOX', 'SENT', 'TRASH']),
  readFilter: z.enum(['all', 'unread', 'read']),
  /** Sending days, inclusive. */
  from: dayField,
  to: dayField,
  page: pageField,
});
export type InboxList = z.infer<typeof inboxList>;
export type ReadFilter = InboxList['readFilter'];

export const inboxListCodec = blockStateCodec(inboxList);

/** Decodes the block id of a list or an announcement (`inbox/<account>`): its account, and the list if it is one. */
export const inboxBlock = {
  decode(blockId: string) {
    const [, account = ''] = blockId.split('/');
    return { account: AccountId.parse(account), below: inboxListCodec.decode(blockId) };
  },
};
export type InboxBlock = ReturnType<typeof inboxBlock.decode>;

/** State of a message's modal: where it was opened, and the list there, if it was opened from one. */
const state = z.object({ origin: Origin, list: inboxList.optional() });
type MessageState = z.infer<typeof state>;

export const messageState = codec('form', state, 'Press Read again.');

/** A task that a message names, and the link to its card. */
export interface NamedTask {
  readonly campaignTitle: string;
  readonly worker: string;
  readonly card: string;
}

/** Returns a line with the card of each task that a message names. */
export function namedTaskBlocks(named: readonly NamedTask[]): KnownBlock[] {
  return named.map(({ campaignTitle, worker, card }) => {
    const facts = [`About *${inline(campaignTitle, 80)}*`, ...(worker === '' ? [] : [inline(worker, 60)])];
    return context([...facts, link(card, 'Open its card')].join(' · '));
  });
}

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
  const facts = factsOf(message.sentAt, message.hasAttachment, message.messageType);
  const status = statusText(message);
  const buttons = message.trashed
    ? []
    : [
        actions(`inbox/${account}`, [
          button('Read', 'inbox.read', message.id, message.unread ? { style: 'primary' } : {}),
          trashButton(message.id),
        ]),
      ];
  const blocks = [
    section(headText(message.unread, subject, facts)),
    ...(status ? [context(status)] : []),
    ...namedTaskBlocks(named),
    ...buttons,
  ];
  return { text: plain(`${message.unread ? 'New message' : 'Message'}: ${subject}`), blocks };
}

/** Returns those facts of a message that there are. @param sentAt ms @param more plain text */
function factsOf(sentAt: number | undefined, hasAttachment: boolean, more: string): string {
  return joined([
    sentAt === undefined ? '' : dateAtStart(sentAt),
    inline(more, 60),
    hasAttachment ? 'with an attachment (open it on the website)' : '',
  ]);
}

/** Returns a message's mark and subject, with the facts that are known below. */
function headText(isUnread: boolean, subject: string, facts: string): string {
  const mark = isUnread ? ':envelope:' : ':envelope_with_arrow:';
  return [`${mark} *${subject}*`, facts].filter((line) => line !== '').join('\n');
}

function trashButton(id: string) {
  return button('Move to trash', 'inbox.trash', id, { confirm: trashConfirmation });
}

function statusText({ trashed, trashedBy, unread, readBy }: Announcement): string | undefined {
  if (trashed) return trashedBy ? `Moved to the trash by ${user(trashedBy)}` : 'No longer in the inbox';
  if (unread) return undefined;
  return readBy ? `Read by ${user(readBy)}` : 'Read elsewhere';
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
  const { pieces, isCut } = piecesWithin(message.body, maxBodyBytes);
  const body =
    pieces.length === 0
      ? [section('_This message has no text._')]
      : pieces.map((piece) => section(preformatted(piece, piece.length)));
  const rest = isCut ? 'too long for Slack (read the rest on the website)' : '';
  const facts = factsOf(message.sentAt?.getTime(), message.hasAttachment, rest);
  const trash = message.folder === 'TRASH' ? [] : [actions(`inbox/${account}`, [trashButton(message.id)])];
  return modal({
    callbackId: 'inbox.message',
    title: 'Message',
    state: messageState.encode(state),
    blocks: [
      section(`*${inline(message.subject, 300) || 'No subject'}*`),
      ...(facts === '' ? [] : [context(facts)]),
      ...namedTaskBlocks(named),
      ...body,
      ...trash,
    ],
  });
}

export const loading = 'Loading the message…';
/** A message was loaded, but its modal had been closed. */
export const readButNotShown = 'The message was loaded but could not be shown. Press Read to see it.';
export const movedToTrash = ':white_check_mark: The message is in the trash now.';

/** Returns the modal with a message's status in place of its content. @param sentence mrkdwn */
export function messageStatusModal(sentence: string): ModalView {
  return modal({ callbackId: 'inbox.message', title: 'Message', blocks: [section(sentence)] });
}

const trashConfirmation = confirmation({
  title: 'Move to trash?',
  text: 'This moves the message to the trash at the marketplace, for everybody who uses the account. You can’t undo that here.',
  confirm: 'Move to trash',
  deny: 'Cancel',
  isDanger: true,
});

const folderWords: Readonly<Record<InboxList['folder'], string>> = {
  INBOX: 'Inbox',
  SENT: 'Sent',
  TRASH: 'Trash',
};
const readFilterWords: Readonly<Record<ReadFilter, string>> = {
  all: 'Read and unread',
  unread: 'Unread only',
  read: 'Read only',
};

/**
 * Returns one page of an account's messages.
 * @param messages all that match, newest first
 * @param zone of the list's days (IANA)
 */
export function inboxMessage(list: InboxList, messages: readonly MessageSummary[], zone: string): Message {
  const { page, pages, here } = pageOf(messages, list.page);
  const shown = { ...list, page };
  const start = page * rowsPerPage + 1;
  return listMessage({
    intro: introText(list, messages),
    blocks: [
      filters(shown),
      ...here.map((message, index) => row(shown, message, start + index)),
      ...pageButtons({
        blockId: inboxListCodec.encode('inbox.pages', shown),
        actionId: 'inbox.page',
        page,
        pages,
      }),
      ...zoneNote(list, zone),
    ],
    rows: here.map((message, index) => `${start + index}. ${fallbackLine(message)}`),
  });
}

function introText(list: InboxList, messages: readonly MessageSummary[]): string {
  const { folder, readFilter } = list;
  const filter = [
    readFilter === 'all' ? '' : readFilterWords[readFilter].toLowerCase(),
    daysText(list),
  ].filter((text) => text !== '');
  const title = `*${folderWords[folder]}*${filter.length > 0 ? ` (${filter.join(', ')})` : ''}`;
  if (messages.length === 0) {
    const hint = filter.length > 0 ? ' Choose other days or another folder to see more.' : '';
    return `${title}: no messages.${hint}`;
  }
  const unread = messages.filter((message) => message.unread).length;
  return `${title}: ${counted(messages.length, 'message')}${readFilter === 'all' ? `, ${number(unread)} unread` : ''}.`;
}

function filters(list: InboxList): KnownBlock {
  return actions(inboxListCodec.encode('inbox.filter', list), [
    choice('inbox.folder', 'Folder', folderWords, list.folder),
    choice('inbox.reading', 'Read or unread', readFilterWords, list.readFilter),
    ...dayFilter({ from: 'inbox.from', to: 'inbox.to', clear: 'inbox.anyday' }, list),
  ]);
}

function row(list: InboxList, message: MessageSummary, number: number): KnownBlock {
  const facts = factsOf(message.sentAt?.getTime(), message.hasAttachment, message.type);
  return section(`${number}. ${headText(message.unread, subject(message, 200), facts)}`, {
    block_id: inboxListCodec.encode(`inbox.row${number}`, list),
    accessory: button('Read', 'inbox.read', message.id, { label: `Read message ${number}` }),
  });
}

function fallbackLine(message: MessageSummary): string {
  const when = message.sentAt ? `, ${date(message.sentAt.getTime())}` : '';
  return `${subject(message, 100)}${message.unread ? ' (unread)' : ''}${when}`;
}

function subject(message: MessageSummary, max: number): string {
  return inline(message.subject, max) || 'No subject';
}
