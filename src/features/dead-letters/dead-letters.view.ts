import type { KnownBlock } from '@slack/types';
import type { JobName, JobWithDeadLetters } from '../../jobs/catalogue.ts';
import { actions, button, context, type Message, section } from '../../slack/blocks.ts';
import { confirmation } from '../../slack/confirmation.ts';
import { date, inline, plain } from '../../slack/mrkdwn.ts';

/** The task that a job is about, for display. */
export interface TaskOfJob {
  readonly campaignTitle?: string;
  /** The worker's name, or their id without one. */
  readonly worker: string;
}

/** A job that cannot succeed at present, for display. */
export interface DeadLetterRow {
  readonly key: string;
  readonly name: JobName;
  readonly task?: TaskOfJob;
  readonly reason: string;
  readonly at: number;
}

/** Work that keeps failing and is retried automatically. @property since when it first failed (ms) */
export interface FailingRow {
  readonly name: JobName;
  readonly task?: TaskOfJob;
  readonly reason: string;
  readonly since: number;
}

const maxShown = 10;
const maxFailingShown = 5;

/** What jobs do whose failures are kept. Failures of all others are dropped; if one is listed, it is shown by its name. */
const jobWords: Readonly<Record<JobWithDeadLetters, string> & Partial<Record<JobName, string>>> = {
  post: 'Posting a card',
  redraw: 'Updating a card',
  'update-cards': 'Updating cards',
  announce: 'Announcing a message',
  'fill-windows': 'Choosing which tasks get cards',
  'count-queues': 'Counting the tasks that wait',
  'show-queue': 'Posting how many tasks are waiting',
  'retire-summaries': 'Replacing summaries of an earlier version',
  send: 'Sending decisions',
  release: 'Sending held decisions',
  'retarget-later': 'Changing countries as scheduled',
  approval: 'Continuing a request for approval',
  'ask-owners': 'Asking for a role',
  'tell-shared': 'Asking about a channel shared with another company',
  bulk: 'Rating selected tasks',
  'show-bulk': 'Showing how far a bulk rating is',
  remind: 'Posting a reminder',
  'campaign-notice': 'Posting news of campaigns',
  daily: 'Posting a daily summary',
  'count-assigned': 'Counting assigned tasks',
  'tell-assigned': 'Telling a member about their tasks',
  'tell-click': 'Telling a member what became of a click',
  'tell-difference': 'Telling two reviewers that they disagree',
  'tell-loss': 'Telling a channel about lost data',
  'check-channel': 'Checking a channel that refuses posts',
  'move-cards': 'Moving cards to another channel',
  'retire-cards': 'Updating cards that were moved',
  'check-cards': 'Searching for deleted cards',
  'thread-reply': 'Carrying out a reply in a thread',
  seal: 'Sealing the audit',
};

/**
 * Returns the list of dead letters, and of failing work that is retried automatically.
 * @param outcome of the last action, a sentence
 */
export function deadLettersMessage(
  letters: readonly DeadLetterRow[],
  failing: readonly FailingRow[],
  outcome?: string,
): Message {
  const head = outcome ? [context(outcome)] : [];
  if (letters.length === 0 && failing.length > 0) {
    const text = stillFailingText(failing.length);
    return { text: plain(text), blocks: [...head, section(text), ...failingBlocks(failing)] };
  }
  if (letters.length === 0) {
    const text = 'Nothing has failed: everything is done or still being retried.';
    return { text, blocks: [...head, section(text)] };
  }
  const count = letters.length === 1 ? '1 action' : `${letters.length} actions`;
  const text = `*${count} failed* and will not be retried automatically. No decision is lost: unsent ones stay on their cards.`;
  const rest = letters.length > maxShown ? [context(`Only the latest ${maxShown} are shown.`)] : [];
  return {
    text: plain(text),
    blocks: [
      ...head,
      section(text),
      ...(letters.length > 1
        ? [
            actions('dead-letters', [
              button('Try all again', 'given-up.retry-all', 'all', { style: 'primary' }),
            ]),
          ]
        : []),
      ...letters.slice(0, maxShown).flatMap(letterBlocks),
      ...rest,
      ...(failing.length > 0 ? [section(stillFailingText(failing.length)), ...failingBlocks(failing)] : []),
    ],
  };
}

function stillFailingText(count: number): string {
  return `*${count === 1 ? '1 action keeps' : `${count} actions keep`} failing*. ${count === 1 ? 'It is' : 'They are'} retried automatically, at least every 30 seconds.`;
}

function failingBlocks(failing: readonly FailingRow[]): KnownBlock[] {
  const rest =
    failing.length > maxFailingShown ? [context(`Only the latest ${maxFailingShown} are shown.`)] : [];
  const rows = failing
    .slice(0, maxFailingShown)
    .map(({ name, task, reason, since }) =>
      section(
        `${jobWords[name] ?? inline(name)}${ofTask(task)} has failed since ${date(since)}\nLast error: ${inline(reason)}`,
      ),
    );
  return [...rows, ...rest];
}

function ofTask(task: TaskOfJob | undefined): string {
  if (task === undefined) return '';
  const campaign = task.campaignTitle ? ` for *${inline(task.campaignTitle)}*` : '';
  return `${campaign} (worker ${inline(task.worker, 60)})`;
}

/** The action ids keep the names of older versions, whose lists may still be open in Slack. */
function letterBlocks({ key, name, task, reason, at }: DeadLetterRow): KnownBlock[] {
  return [
    section(
      `${jobWords[name] ?? inline(name)}${ofTask(task)} failed ${date(at)}\nLast error: ${inline(reason, 300)}`,
    ),
    actions(`dead-letters/${key}`, [
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
