import { z } from 'zod';
import { AccountId } from '../../domain/terms.ts';
import type { JobName, JobWithDeadLetters } from '../../jobs/catalogue.ts';
import { actions, button, confirmation, context, type Message, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { listMessage } from '../../ui/list.view.ts';
import { counted, number } from '../../ui/words.ts';

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
  readonly at: number;
}

/** Value of the buttons for all dead letters of a list: those of an account up to a time (ms). */
export const failedJobsValue = codec(
  'button',
  z.object({ account: AccountId, upTo: z.number() }),
  'Open the list again: `/proofdesk failed`.',
);

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

/** Maximum number of rows: what is tried again leaves room for the others. */
const maxRows = 12;

/**
 * Returns the dead letters, latest first, with buttons for all of them, and failing work that is retried automatically.
 * @param done what was just done with all of them
 */
export function deadLettersMessage(
  account: AccountId,
  letters: readonly DeadLetterRow[],
  failing: readonly FailingRow[],
  done?: keyof typeof outcomes,
): Message {
  const texts = [
    ...(letters.length > 0 ? [`*${counted(letters.length, 'action')} failed* ${notTriedAgain}`] : []),
    ...(failing.length > 0 ? [`*${counted(failing.length, 'action')} still failing*: ${triedAgain}`] : []),
  ];
  const all = [...letters, ...failing];
  const rows = all.slice(0, maxRows).map(rowText);
  const value = failedJobsValue.encode({ account, upTo: letters[0]?.at ?? 0 });
  const more = all.length - rows.length;
  return listMessage({
    outcome: done && outcomes[done],
    intro: texts.length === 0 ? nothingFailed : texts.join('\n'),
    rows,
    blocks: [
      ...(letters.length > 0
        ? [
            actions('failed', [
              button('Try again', 'given-up.retry', value, { style: 'primary' }),
              button('Discard', 'given-up.discard', value, { confirm: discardConfirmation }),
            ]),
          ]
        : []),
      ...rows.map((row) => section(row)),
      ...(more > 0 ? [context(`${number(more)} more.`)] : []),
    ],
  });
}

const discardConfirmation = confirmation({
  title: 'Discard all that failed?',
  text: 'They will not be tried again. Cards stay as they are until something about their tasks changes.',
  confirm: 'Discard',
  deny: 'Keep them',
  isDanger: true,
});

const outcomes = { retry: 'Trying again now.', discard: 'Discarded.' } as const;

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
