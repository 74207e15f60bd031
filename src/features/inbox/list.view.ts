import type { KnownBlock } from '@slack/types';
import type { MessageSummary } from '../../marketplace/index.ts';
import { actions, button, limits, type Message, option, plainText, section } from '../../slack/blocks.ts';
import { date, dateAtStart, inline } from '../../slack/mrkdwn.ts';
import { pageButtons, pageOf, rowsPerPage } from '../../slack/paging.ts';
import { dayFilter, daysText, listMessage, rowSelect, zoneNote } from '../../ui/list.view.ts';
import { counted, number } from '../../ui/words.ts';
import { trashConfirmation } from './announcement.view.ts';
import {
  type Folder,
  folders,
  type InboxList,
  inboxListCodec,
  type ReadFilter,
  readFilters,
} from './list-state.ts';

const folderWords: Readonly<Record<Folder, string>> = {
  INBOX: 'Inbox',
  SENT: 'Sent',
  TRASH: 'Trash',
  ALL: 'All folders',
};
const readFilterWords: Readonly<Record<ReadFilter, string>> = {
  all: 'Read and unread',
  unread: 'Unread only',
  read: 'Read only',
};

/** Data of the message list. */
export interface InboxPage {
  readonly list: InboxList;
  /** All matching messages, newest first. */
  readonly messages: readonly MessageSummary[];
  /** IANA zone of the list's days. */
  readonly zone: string;
  /** Distinguishes this rendering from earlier ones, so that earlier choices are not kept. */
  readonly renderedAt: number;
  /** Outcome of the last action, in mrkdwn. */
  readonly outcome?: string;
}

/** Returns one page of an account's messages. */
export function inboxMessage({ list, messages, zone, renderedAt, outcome }: InboxPage): Message {
  const { page, pages, here } = pageOf(messages, list.page);
  const shown = { ...list, page };
  const start = page * rowsPerPage + 1;
  return listMessage({
    outcome,
    intro: introText(list, messages),
    blocks: [
      filters(shown),
      ...here.map((message, index) => row(shown, message, start + index)),
      ...trashSeveral(shown, here, start, renderedAt),
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
  const count = counted(messages.length, 'message');
  return `${title}: ${count}${readFilter === 'all' ? `, ${number(unread)} unread` : ''}.`;
}

function filters(list: InboxList): KnownBlock {
  const { folder, readFilter } = list;
  const choice = <T extends string>(
    words: Readonly<Record<T, string>>,
    values: readonly T[],
    selected: T,
  ) => ({
    options: values.map((value) => option(words[value], value)),
    initial_option: option(words[selected], selected),
  });
  return actions(inboxListCodec.encode('inbox.filter', list), [
    {
      type: 'static_select',
      action_id: 'inbox.folder',
      placeholder: plainText('Folder'),
      ...choice(folderWords, folders, folder),
    },
    {
      type: 'static_select',
      action_id: 'inbox.reading',
      placeholder: plainText('Read or unread'),
      ...choice(readFilterWords, readFilters, readFilter),
    },
    ...dayFilter({ from: 'inbox.from', to: 'inbox.to', clear: 'inbox.anyday' }, list),
  ]);
}

function row(list: InboxList, message: MessageSummary, number: number): KnownBlock {
  const mark = message.unread ? ':envelope:' : ':envelope_with_arrow:';
  const facts = [
    message.sentAt ? dateAtStart(message.sentAt.getTime()) : undefined,
    message.type === '' ? undefined : inline(message.type, 60),
    message.hasAttachment ? 'with an attachment' : undefined,
    list.folder === 'ALL' ? folderWords[message.folder].toLowerCase() : undefined,
  ].filter((fact) => fact !== undefined);
  const text = `${number}. ${mark} *${subject(message, 200)}*${facts.length > 0 ? `\n${facts.join(' · ')}` : ''}`;
  return section(text, {
    block_id: inboxListCodec.encode(`inbox.row${number}`, list),
    accessory: button('Read', 'inbox.read', message.id, {
      ...(message.unread ? { style: 'primary' } : {}),
      label: `Read message ${number}`,
    }),
  });
}

/**
 * Returns the bulk trash select, without messages already in the trash, and ids too long for an option: those can be
 * trashed from their own modal.
 */
function trashSeveral(
  list: InboxList,
  here: readonly MessageSummary[],
  start: number,
  renderedAt: number,
): KnownBlock[] {
  const options = here.flatMap((message, index) =>
    message.folder === 'TRASH' || message.id.length > limits.optionValue
      ? []
      : [option(`${start + index}. ${plainLine(message.subject) || 'No subject'}`, message.id)],
  );
  if (options.length === 0) return [];
  const blockId = `inbox.choose/${renderedAt.toString(36)}`;
  return [
    rowSelect({
      text: 'Move several messages to the trash:',
      blockId,
      actionId: 'inbox.chosen',
      placeholder: 'Choose messages',
      options,
    }),
    actions(inboxListCodec.encode('inbox.trashing', list), [
      // Names the select it belongs to, so that choices from before a re-render do not count.
      button('Move chosen to the trash', 'inbox.trash.chosen', blockId, {
        confirm: trashConfirmation('the chosen messages'),
      }),
      button('Move this page to the trash', 'inbox.trash.page', options.map(({ value }) => value).join(' '), {
        confirm: trashConfirmation(
          options.length === 1 ? 'this message' : `these ${options.length} messages`,
        ),
      }),
    ]),
  ];
}

function fallbackLine(message: MessageSummary): string {
  const when = message.sentAt ? `, ${date(message.sentAt.getTime())}` : '';
  return `${subject(message, 100)}${message.unread ? ' (unread)' : ''}${when}`;
}

function subject(message: MessageSummary, max: number): string {
  return inline(message.subject, max) || 'No subject';
}

function plainLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the progress of moving messages to the trash. */
export function trashProgressMessage(done: number, all: number): Message {
  const text = `Moving messages to the trash: ${done} of ${all} done…`;
  return { text, blocks: [section(text)] };
}

/** A message that was not moved, or may not have been (`isUnsure`). */
export interface NotMoved {
  /** The marketplace's subject; '' if unknown. */
  readonly subject: string;
  /** The reason, in mrkdwn. */
  readonly sentence: string;
  readonly isUnsure: boolean;
}

/** Maximum number of messages named per kind. */
const maxNamed = { refused: 8, unsure: 5 } as const;

/** Returns the outcome of moving messages to the trash, in mrkdwn. */
export function trashResultText(moved: number, failed: readonly NotMoved[]): string {
  const refused = failed.filter((one) => !one.isUnsure);
  const unsure = failed.filter((one) => one.isUnsure);
  return [...movedLines(moved, refused, unsure.length > 0), ...unsureLines(unsure)].join('\n');
}

function movedLines(moved: number, refused: readonly NotMoved[], isAnyUnsure: boolean): string[] {
  if (refused.length === 0) {
    return moved > 0 ? [`:white_check_mark: ${counted(moved, 'message')} moved to the trash.`] : [];
  }
  const nothing = isAnyUnsure ? `${counted(refused.length, 'message')} not moved` : 'No message was moved';
  const first =
    moved === 0 ? nothing : `${counted(moved, 'message')} moved to the trash, ${refused.length} not`;
  const lines = refused
    .slice(0, maxNamed.refused)
    .map(({ subject: text, sentence }) => `• ${quoted(text)}: ${sentence}`);
  const rest = refused.length > lines.length ? [`and ${refused.length - lines.length} more`] : [];
  return [`:warning: ${first}:`, ...lines, ...rest];
}

function unsureLines(unsure: readonly NotMoved[]): string[] {
  if (unsure.length === 0) return [];
  const shown = unsure.slice(0, maxNamed.unsure).map(({ subject: text }) => quoted(text));
  const rest = unsure.length > shown.length ? ` and ${unsure.length - shown.length} more` : '';
  return [
    `:warning: It is unclear whether these were moved, since the marketplace gave no clear answer: ${shown.join(', ')}${rest}. Check their folder, and move those still there again.`,
  ];
}

function quoted(text: string): string {
  return `“${inline(text, 80) || 'No subject'}”`;
}

export const nothingChosen = 'Choose the messages first, then move them to the trash.';
