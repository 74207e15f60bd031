import type { KnownBlock } from '@slack/types';
import type { MessageSummary } from '../../marketplace/index.ts';
import {
  actions,
  button,
  context,
  dayPicker,
  type Message,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { cut, limits } from '../../slack/limits.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf, rowsPerPage } from '../../slack/paging.ts';
import { encodeInboxBlock, type Folder, type InboxList, readings } from './list-state.ts';

/** The block in which messages of a page are chosen, to be trashed together. */
export const chooseBlock = 'inbox.choose';

const folderWords: Readonly<Record<Folder, string>> = {
  INBOX: 'Inbox',
  SENT: 'Sent',
  TRASH: 'Trash',
  ALL: 'All folders',
};
const readingWords: Readonly<Record<InboxList['reading'], string>> = {
  all: 'Read and unread',
  unread: 'Unread only',
  read: 'Read only',
};

/** A list of messages, as asked for. */
export interface InboxPage {
  readonly list: InboxList;
  /** All messages that fit, the newest first. */
  readonly messages: readonly MessageSummary[];
  /** The zone (IANA) in which the days of the list are meant. */
  readonly zone: string;
  /** Tells the list from how it was drawn before, so that nothing chosen then stays chosen. */
  readonly drawnAt: number;
  /** What was done with messages just now, in mrkdwn. */
  readonly done?: string;
}

/** The messages of an account, a page at a time. */
export function inboxMessage({ list, messages, zone, drawnAt, done }: InboxPage): Message {
  const { page, pages, here } = pageOf(messages, list.page);
  const shown = { ...list, page };
  const intro = introOf(list, messages);
  const start = page * rowsPerPage + 1;
  const blocks: KnownBlock[] = [
    ...(done === undefined ? [] : [section(done)]),
    section(intro),
    filters(shown),
    ...here.map((message, index) => row(shown, message, start + index)),
    ...trashing(shown, here, start, drawnAt),
    ...pageButtons({ blockId: encodeInboxBlock('inbox.pages', shown), actionId: 'inbox.page', page, pages }),
    ...(list.from || list.to
      ? [context(`Days are those of the marketplace’s zone, ${inline(zone, 60)}.`)]
      : []),
  ];
  const lines = here.map((message, index) => `${start + index}. ${line(message)}`);
  const text = [...(done === undefined ? [] : [done]), intro, ...lines].join('\n');
  return { text: cut(plain(text), limits.fallbackText), blocks };
}

function introOf(list: InboxList, messages: readonly MessageSummary[]): string {
  const { folder, reading, from, to } = list;
  const days = [from ? `from ${from}` : '', to ? `to ${to}` : ''].filter((part) => part !== '').join(' ');
  const which = [reading === 'all' ? '' : readingWords[reading].toLowerCase(), days].filter(
    (part) => part !== '',
  );
  const about = `*${folderWords[folder]}*${which.length > 0 ? ` (${which.join(', ')})` : ''}`;
  if (messages.length === 0) {
    const hint = which.length > 0 ? ' Choose other days or another folder to see more.' : '';
    return `${about}: no messages.${hint}`;
  }
  const unread = messages.filter((message) => message.unread).length;
  const count = messages.length === 1 ? '1 message' : `${messages.length.toLocaleString('en')} messages`;
  return `${about}: ${count}${reading === 'all' ? `, ${unread.toLocaleString('en')} unread` : ''}.`;
}

function filters(list: InboxList): KnownBlock {
  const { folder, reading, from, to } = list;
  const choice = <T extends string>(words: Readonly<Record<T, string>>, values: readonly T[], at: T) => ({
    options: values.map((value) => option(words[value], value)),
    initial_option: option(words[at], at),
  });
  return actions(encodeInboxBlock('inbox.filter', list), [
    {
      type: 'static_select',
      action_id: 'inbox.folder',
      placeholder: plainText('Folder'),
      ...choice(folderWords, ['INBOX', 'SENT', 'TRASH', 'ALL'], folder),
    },
    {
      type: 'static_select',
      action_id: 'inbox.reading',
      placeholder: plainText('Read or unread'),
      ...choice(readingWords, readings, reading),
    },
    dayPicker('inbox.from', 'From day', from),
    dayPicker('inbox.to', 'To day', to),
    ...(from || to ? [button('Any day', 'inbox.anyday', 'any')] : []),
  ]);
}

function row(list: InboxList, message: MessageSummary, number: number): KnownBlock {
  const mark = message.unread ? ':envelope:' : ':envelope_with_arrow:';
  const facts = [
    message.sentAt ? date(message.sentAt.getTime()) : undefined,
    message.type === '' ? undefined : inline(message.type, 60),
    message.hasAttachment ? 'with an attachment' : undefined,
    list.folder === 'ALL' ? folderWords[message.folder].toLowerCase() : undefined,
  ].filter((fact) => fact !== undefined);
  const text = `${number}. ${mark} *${subject(message, 200)}*${facts.length > 0 ? `\n${facts.join(' · ')}` : ''}`;
  return section(text, {
    block_id: encodeInboxBlock(`inbox.row${number}`, list),
    accessory: button('Read', 'inbox.read', message.id, {
      ...(message.unread ? { style: 'primary' } : {}),
      label: `Read message ${number}`,
    }),
  });
}

/** What is in the trash cannot be moved there; an id too long for an option can only be trashed where it is read. */
function trashing(
  list: InboxList,
  here: readonly MessageSummary[],
  start: number,
  drawnAt: number,
): KnownBlock[] {
  const options = here.flatMap((message, index) =>
    message.folder === 'TRASH' || message.id.length > limits.optionValue
      ? []
      : [option(`${start + index}. ${plainLine(message.subject) || 'No subject'}`, message.id)],
  );
  if (options.length === 0) return [];
  return [
    section('Move several messages to the trash:', {
      block_id: `${chooseBlock}/${drawnAt.toString(36)}`,
      accessory: {
        type: 'multi_static_select',
        action_id: 'inbox.chosen',
        placeholder: plainText('Choose messages'),
        options,
      },
    }),
    actions(encodeInboxBlock('inbox.trashing', list), [
      button('Move chosen to the trash', 'inbox.trash.chosen', 'chosen'),
      button('Move all of this page', 'inbox.trash.page', options.map(({ value }) => value).join(' ')),
    ]),
  ];
}

function line(message: MessageSummary): string {
  const when = message.sentAt ? `, ${date(message.sentAt.getTime())}` : '';
  return `${subject(message, 100)}${message.unread ? ' (unread)' : ''}${when}`;
}

function subject(message: MessageSummary, max: number): string {
  return inline(message.subject, max) || 'No subject';
}

function plainLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** While messages are on their way to the trash. */
export function trashingMessage(done: number, all: number): Message {
  const text = `Moving messages to the trash: ${done} of ${all} done…`;
  return { text, blocks: [section(text)] };
}

/** A message that was not moved, and why. `subject` as the marketplace has it, '' when it is not known. */
export interface NotMoved {
  readonly subject: string;
  readonly sentence: string;
}

/** What became of messages that were to be moved to the trash, in mrkdwn. */
export function trashedSentence(moved: number, failed: readonly NotMoved[]): string {
  const messages = (count: number) => (count === 1 ? '1 message' : `${count} messages`);
  const lines = failed
    .slice(0, 10)
    .map(({ subject: text, sentence }) => `• “${inline(text, 80) || 'No subject'}”: ${sentence}`);
  if (failed.length === 0) return `:white_check_mark: ${messages(moved)} moved to the trash.`;
  const rest = failed.length > lines.length ? [`and ${failed.length - lines.length} more`] : [];
  const first =
    moved === 0 ? 'No message was moved' : `${messages(moved)} moved to the trash, ${failed.length} not`;
  return [`:warning: ${first}:`, ...lines, ...rest].join('\n');
}

export const nothingChosen = 'Choose the messages first, then move them to the trash.';
