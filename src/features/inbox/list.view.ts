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
  const blockId = `inbox.choose/${drawnAt.toString(36)}`;
  return [
    section('Move several messages to the trash:', {
      block_id: blockId,
      accessory: {
        type: 'multi_static_select',
        action_id: 'inbox.chosen',
        placeholder: plainText('Choose messages'),
        options,
      },
    }),
    actions(encodeInboxBlock('inbox.trashing', list), [
      // It names its own choice: one made before the list was drawn anew does not count.
      button('Move chosen to the trash', 'inbox.trash.chosen', blockId),
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

/** A message that was not moved, or of which that is not known (`isUnsure`). */
export interface NotMoved {
  /** As the marketplace has it; '' when it is not known. */
  readonly subject: string;
  /** Why, in mrkdwn. */
  readonly sentence: string;
  readonly isUnsure: boolean;
}

/** Messages told of with why they were not moved, and those of which nobody knows. */
const mostTold = { refused: 8, unsure: 5 } as const;

/** What became of messages that were to be moved to the trash, in mrkdwn. */
export function trashedSentence(moved: number, failed: readonly NotMoved[]): string {
  const refused = failed.filter((one) => !one.isUnsure);
  const unsure = failed.filter((one) => one.isUnsure);
  return [...movedLines(moved, refused, unsure.length > 0), ...unsureLines(unsure)].join('\n');
}

function movedLines(moved: number, refused: readonly NotMoved[], isMoreUnsure: boolean): string[] {
  if (refused.length === 0) {
    return moved > 0 ? [`:white_check_mark: ${countOf(moved)} moved to the trash.`] : [];
  }
  const nothing = isMoreUnsure ? `${countOf(refused.length)} not moved` : 'No message was moved';
  const first = moved === 0 ? nothing : `${countOf(moved)} moved to the trash, ${refused.length} not`;
  const lines = refused
    .slice(0, mostTold.refused)
    .map(({ subject: text, sentence }) => `• ${quoted(text)}: ${sentence}`);
  const rest = refused.length > lines.length ? [`and ${refused.length - lines.length} more`] : [];
  return [`:warning: ${first}:`, ...lines, ...rest];
}

function unsureLines(unsure: readonly NotMoved[]): string[] {
  if (unsure.length === 0) return [];
  const shown = unsure.slice(0, mostTold.unsure).map(({ subject: text }) => quoted(text));
  const rest = unsure.length > shown.length ? ` and ${unsure.length - shown.length} more` : '';
  return [
    `:warning: Not known whether moved, since the marketplace gave no clear answer: ${shown.join(', ')}${rest}. Look at their folder, then move again what is still there.`,
  ];
}

function countOf(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

function quoted(text: string): string {
  return `“${inline(text, 80) || 'No subject'}”`;
}

/** In place of a list that cannot be read. @param done what was done before, in mrkdwn */
export function listAway(done: string): string {
  return `${done}\nThe list cannot be read at present. Open it again in a minute: \`/inbox\`.`;
}

export const nothingChosen = 'Choose the messages first, then move them to the trash.';
