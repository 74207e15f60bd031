import type { KnownBlock, ModalView, SectionBlock } from '@slack/types';
import { z } from 'zod';
import {
  type FoundText,
  isAddressTerm,
  maxQuery,
  type Query,
  type Term,
  textsOf,
  wordsOf,
} from '../../domain/find/terms.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import { AccountId } from '../../domain/terms.ts';
import { maskIp } from '../../domain/worker.ts';
import {
  actions,
  button,
  context,
  input,
  limits,
  type Message,
  modal,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { encodeCardBlock } from '../../slack/message-tags.ts';
import { cut, dateAtStart, inline, link, plain } from '../../slack/mrkdwn.ts';
import type { StoredNote } from '../../store/notes.ts';
import { adjacentPages } from '../../ui/list.view.ts';
import { campaignName, number, ratingEmoji } from '../../ui/words.ts';

/** Tasks per page. */
export const foundPerPage = 8;

export const findForm = 'find';
export const queryInput = 'query';
export const nothingToFind = 'Enter words, a worker, an IP address or a code.';

/** Paging state: the number before which each page begins; the first page has none. */
export const findState = codec(
  'button',
  z.object({
    account: AccountId,
    text: z.string().max(2 * maxQuery),
    pages: z.array(z.number()).readonly(),
  }),
  'Search again: `/proofdesk find`.',
);
export type FindState = ReturnType<typeof findState.decode>;

/** A matching task. */
export interface FoundTask {
  readonly task: Task;
  readonly campaignTitle: string;
  readonly notes: readonly StoredNote[];
  /** Link to its card, if it has one the reader can open. */
  readonly card?: string | undefined;
}

export interface FoundList {
  readonly state: FindState;
  readonly query: Query;
  readonly tasks: readonly FoundTask[];
  /** The number before which older matches are; absent: there are none. */
  readonly older?: number | undefined;
  /** Number of changed tasks that are not indexed yet. */
  readonly pending: number;
}

/** Renders the matching tasks, newest first. */
export function foundMessage(list: FoundList): Message {
  const { state, query, tasks, older, pending } = list;
  const asked = inline(state.text, 120);
  const head = headText(tasks.length, asked, older !== undefined, state.pages.length);
  const hints = [
    ...(query.isWidened
      ? ['The last part of IP addresses is hidden from you, so this finds the whole network.']
      : []),
    ...(pending > 0
      ? [
          `${pending === 1 ? 'One task is' : `${number(pending)} tasks are`} still being indexed. Search again in a moment.`,
        ]
      : []),
    ...(tasks.length === 0
      ? [
          'Matches whole words only, in proofs, comments, notes and file names. Tasks whose details were removed aren’t found.',
        ]
      : []),
  ];
  const rows = tasks.map((found) => rowBlock(state.account, query, found));
  const paging = adjacentPages('find.page', state.pages, older, (pages) =>
    findState.encode({ ...state, pages }),
  );
  const blocks: KnownBlock[] = [
    section(head),
    ...rows,
    ...hints.map((hint) => context(hint)),
    ...(paging.length > 0 ? [actions('find-pages', paging)] : []),
  ];
  const texts = rows.map(({ text }) => text?.text ?? '');
  return { text: cut(plain([head, ...texts].join('\n')), limits.fallbackText), blocks };
}

function headText(found: number, asked: string, hasOlder: boolean, page: number): string {
  if (found > 0) return `*Tasks with “${asked}”*, newest first${page > 0 ? ` · page ${page + 1}` : ''}`;
  if (hasOlder) return `None of the newest tasks has “${asked}”. Older ones haven’t been searched yet.`;
  return page > 0 ? `No older task has “${asked}”.` : `No task has “${asked}”.`;
}

const whereWords: Readonly<Record<FoundText['kind'], string>> = {
  proof: 'Proof',
  comment: 'Comment',
  note: 'Note',
  file: 'File',
};

function rowBlock(
  account: AccountId,
  query: Query,
  { task, campaignTitle, notes, card }: FoundTask,
): SectionBlock {
  const { id, round, worker, rating } = task;
  const texts = textsOf(
    task,
    notes.map(({ text }) => text),
  );
  const excerpt = excerptOf(texts, query.terms);
  const when = task.submittedAt ?? task.proof.finishedAt;
  const about = [
    `*${campaignName(campaignTitle, task.campaign, 80)}*`,
    inline(worker.name ?? worker.id, 60),
    ...(query.terms.some(isAddressTerm) ? [inline(maskIp(worker.ip))] : []),
  ];
  const state = [
    `${ratingEmoji[rating]} ${isOpen(task) ? 'Waiting' : rating === 'NOTRATED' ? 'Decided' : rating}`,
    ...(when === undefined ? [] : [dateAtStart(when)]),
    ...(card === undefined ? [] : [link(card, 'Open its card')]),
  ];
  const lines = [
    about.join(' · '),
    ...(excerpt === undefined ? [] : [`${whereWords[excerpt.kind]}: ${inline(excerpt.text, 300)}`]),
    state.join(' · '),
  ];
  // The block id ends with the task, because ids must be unique within a message.
  return section(lines.join('\n'), {
    ...(card === undefined
      ? {
          block_id: encodeCardBlock({ account, round, decision: id }),
          accessory: button('Details…', 'task.more.details', id, {
            label: `Details of the task of ${campaignTitle}`,
          }),
        }
      : {}),
  });
}

/** Returns the search modal. */
export function findModal(): ModalView {
  return modal({
    callbackId: findForm,
    title: 'Find tasks',
    submit: 'Find',
    blocks: [
      input(
        queryInput,
        'Words, worker, IP or code',
        {
          type: 'plain_text_input',
          max_length: maxQuery,
          placeholder: plainText('cashew receipt', limits.placeholder),
        },
        { hint: 'Finds tasks that have all of the words in their proof, comments, notes or file names.' },
      ),
    ],
  });
}

/** Characters shown around a match. */
const shownAround = 70;

/** Returns an excerpt around the first occurrence of a term in a task's texts; undefined if there is none. */
export function excerptOf(texts: readonly FoundText[], terms: readonly Term[]): FoundText | undefined {
  const wanted = new Set(terms);
  for (const { kind, text } of texts) {
    for (const match of text.matchAll(/\S+/gu)) {
      if (!wordsOf(match[0]).some((word) => wanted.has(word))) continue;
      return { kind, text: cutAround(text, match.index, match[0].length) };
    }
  }
  return undefined;
}

function cutAround(text: string, at: number, length: number): string {
  const from = Math.max(0, at - shownAround);
  const to = Math.min(text.length, at + Math.min(length, shownAround) + shownAround);
  // Drops half of a surrogate pair at either end.
  const shown = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, '');
  return `${from > 0 ? '…' : ''}${shown.trim()}${to < text.length ? '…' : ''}`;
}
