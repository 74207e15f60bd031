import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { AccountId } from '../../domain/terms.ts';
import type { JobName, JobWithDeadLetters } from '../../jobs/catalogue.ts';
import {
  actions,
  button,
  confirmation,
  type Message,
  pageButtons,
  pageOf,
  section,
} from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { blockStateCodec, listMessage, pageField } from '../../ui/list.view.ts';
import { counted } from '../../ui/words.ts';

/** Work that keeps failing and is retried automatically. */
export interface FailingRow {
  readonly name: JobName;
  /** The task that it is about, in mrkdwn, or ''. */
  readonly of: string;
  readonly reason: string;
  /** When it first failed (ms). */
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
  'check-channel': 'Checking a channel that rejects posts',
  'move-cards': 'Moving cards to another channel',
  'retire-cards': 'Updating cards that were moved',
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
  const texts = [
    ...(letters.length > 0 ? [`*${counted(letters.length, 'action')} failed* ${notTriedAgain}`] : []),
    ...(failing.length > 0 ? [`*${counted(failing.length, 'action')} still failing*: ${triedAgain}`] : []),
  ];
  const rows = [...letters.map(rowText), ...failing.map(rowText)];
  const blocks = rows.map((text, index): KnownBlock[] => {
    const letter = letters[index];
    return [section(text), ...(letter ? [letterButtons(letter, index, list)] : [])];
  });
  const { page, pages, here } = pageOf(blocks, list.page);
  const retryAll = button('Try all again', 'given-up.retry-all', 'all', { style: 'primary' });
  return listMessage({
    outcome,
    intro: texts.length === 0 ? nothingFailed : texts.join('\n'),
    rows,
    blocks: [
      ...(letters.length > 1 ? [actions(failedJobsCodec.encode('all', list), [retryAll])] : []),
      ...here.flat(),
      ...pageButtons({
        blockId: failedJobsCodec.encode('pages', list),
        actionId: 'given-up.page',
        page,
        pages,
      }),
    ],
  });
}

const nothingFailed = 'Nothing has failed: everything is done or still being tried.';
const notTriedAgain =
  'and won’t be tried again automatically. No rating is lost: unsent ones stay on their cards.';
const triedAgain = 'tried again automatically, at least every 30 seconds.';

/** Returns what names the task of a job, in mrkdwn. */
export function ofTask(campaignTitle: string, worker: string): string {
  return ` for *${inline(campaignTitle)}* (worker ${inline(worker, 60)})`;
}

function rowText({ name, of, reason, ...when }: FailingRow | DeadLetterRow): string {
  const failed = 'at' in when ? `failed ${date(when.at)}` : `has failed since ${date(when.since)}`;
  return `${jobWords[name] ?? inline(name)}${of} ${failed}\nLast error: ${inline(reason, 300)}`;
}

function letterButtons({ key }: DeadLetterRow, index: number, list: FailedJobs): KnownBlock {
  return actions(failedJobsCodec.encode(`letter ${index}`, list), [
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
  ]);
}

export const retried = 'Trying it again now.';
export const allRetried = 'Trying all of them again now.';
export const discarded = 'Discarded.';
export const alreadyGone = 'That one is gone: somebody else handled it, or it has been done since.';
