import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { AccountId } from '../../domain/terms.ts';
import type { JobName, JobWithDeadLetters } from '../../jobs/catalogue.ts';
import {
  actions,
  button,
  confirmation,
  context,
  type Message,
  pageButtons,
  pageOf,
  section,
} from '../../slack/blocks.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';
import { blockStateCodec, pageField } from '../../ui/list.view.ts';
import { counted } from '../../ui/words.ts';

/** The task that a job is about, for display. */
export interface TaskOfJob {
  readonly campaignTitle?: string | undefined;
  /** The worker's name, or their id without one. */
  readonly worker: string;
}

/** Work that keeps failing and is retried automatically. @property since when it first failed (ms) */
export interface FailingRow {
  readonly name: JobName;
  readonly task?: TaskOfJob | undefined;
  readonly reason: string;
  readonly since: number;
}

/** A job that cannot succeed at present, for display. */
export interface DeadLetterRow extends Omit<FailingRow, 'since'> {
  readonly key: string;
  readonly at: number;
}

/** What the list shows, stored in its blocks. */
export const failedJobsCodec = blockStateCodec(z.object({ account: AccountId, page: pageField }));
export type FailedJobs = NonNullable<ReturnType<typeof failedJobsCodec.decode>>;

/** What jobs do whose failures are kept. Failures of all others are dropped; if one is listed, it is shown by its name. */
const jobWords: Readonly<Record<JobWithDeadLetters, string> & Partial<Record<JobName, string>>> = {
  show: 'Posting or updating a message',
  card: 'Posting or updating a card',
  'post-cards': 'Posting cards',
  'update-cards': 'Updating cards',
  'fill-windows': 'Choosing which tasks get cards',
  'count-queues': 'Counting waiting tasks',
  send: 'Sending ratings',
  release: 'Sending ratings that were on hold',
  approval: 'Continuing a request for approval',
  'ask-owners': 'Asking for a role',
  'tell-shared': 'Asking about a channel shared with another company',
  bulk: 'Rating selected tasks',
  'count-assigned': 'Counting assigned tasks',
  'tell-click': 'Answering a click late',
  'check-channel': 'Checking a channel that rejects posts',
  'follow-channel': 'Following a channel whose id has changed',
  'move-cards': 'Moving cards to another channel',
  'retire-cards': 'Updating cards that were moved',
  'check-cards': 'Searching for deleted cards',
  'thread-reply': 'Keeping a reply in a thread as a note',
};

/**
 * Returns a page of the dead letters, and of failing work that is retried automatically.
 * @param outcome of the last action, a sentence
 */
export function deadLettersMessage(
  letters: readonly DeadLetterRow[],
  failing: readonly FailingRow[],
  list: FailedJobs,
  outcome?: string,
): Message {
  const head = outcome ? [context(outcome)] : [];
  if (letters.length === 0 && failing.length === 0) {
    const text = 'Nothing has failed: everything is done or still being tried.';
    return { text, blocks: [...head, section(text)] };
  }
  const texts = [
    ...(letters.length > 0 ? [failedText(letters.length)] : []),
    ...(failing.length > 0 ? [stillFailingText(failing.length)] : []),
  ];
  const all = [
    ...letters.map((letter, index) => letterBlocks(letter, failedJobsCodec.encode(`letter ${index}`, list))),
    ...failing.map((row) => [failingBlock(row)]),
  ];
  const { page, pages, here } = pageOf(all, list.page);
  return {
    text: plain(texts.join('\n')),
    blocks: [
      ...head,
      ...texts.map((text) => section(text)),
      ...(letters.length > 1
        ? [
            actions(failedJobsCodec.encode('all', list), [
              button('Try all again', 'given-up.retry-all', 'all', { style: 'primary' }),
            ]),
          ]
        : []),
      ...here.flat(),
      ...pageButtons({
        blockId: failedJobsCodec.encode('pages', list),
        actionId: 'given-up.page',
        page,
        pages,
      }),
    ],
  };
}

function failedText(count: number): string {
  return `*${counted(count, 'action')} failed* and won’t be tried again automatically. No rating is lost: unsent ones stay on their cards.`;
}

function stillFailingText(count: number): string {
  return `*${count === 1 ? '1 action keeps' : `${count} actions keep`} failing*. ${count === 1 ? 'It is' : 'They are'} tried again automatically, at least every 30 seconds.`;
}

function failingBlock({ name, task, reason, since }: FailingRow): KnownBlock {
  return section(
    `${jobWords[name] ?? inline(name)}${ofTask(task)} has failed since ${date(since)}\nLast error: ${inline(reason)}`,
  );
}

function ofTask(task: TaskOfJob | undefined): string {
  if (task === undefined) return '';
  const campaign = task.campaignTitle ? ` for *${inline(task.campaignTitle)}*` : '';
  return `${campaign} (worker ${inline(task.worker, 60)})`;
}

function letterBlocks({ key, name, task, reason, at }: DeadLetterRow, blockId: string): KnownBlock[] {
  return [
    section(
      `${jobWords[name] ?? inline(name)}${ofTask(task)} failed ${date(at)}\nLast error: ${inline(reason, 300)}`,
    ),
    actions(blockId, [
      button('Try again', 'given-up.retry', key),
      button('Discard', 'given-up.discard', key, {
        confirm: confirmation({
          title: 'Discard this action?',
          text: 'It will not be tried again. A card stays as it is until something about its task changes.',
          confirm: 'Discard',
          deny: 'Keep it',
          isDanger: true,
        }),
      }),
    ]),
  ];
}

export const retried = 'Trying it again now.';
export const allRetried = 'Trying all of them again now.';
export const discarded = 'Discarded.';
export const alreadyGone = 'That one is gone: somebody else handled it, or it has been done since.';
