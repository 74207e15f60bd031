import { type AccountRef, MessageId } from '../../domain/terms.ts';
import type { MessageKind } from '../../jobs/catalogue.ts';
import type { DeadLetter } from '../../jobs/dead-letters.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Actor, Click, Entry, Feature } from '../../slack/feature.ts';
import { createList } from '../../ui/list.ts';
import {
  allRetried,
  alreadyGone,
  deadLettersMessage,
  discarded,
  type FailedJobs,
  failedJobsCodec,
  ofTask,
  retried,
} from './failed-jobs.view.ts';

type Act = 'retry' | 'discard';

/**
 * Creates the list of failed jobs: those that cannot succeed as things are, which an account's members can retry or
 * discard; and work that keeps failing and is retried automatically.
 */
export function createDeadLetters({ audit, jobs, tasks, campaigns, slack }: Modules): Feature {
  const messages: Readonly<Record<MessageKind, { clearNeedsRender(ref: AccountRef, id: string): unknown }>> =
    slack.messages;

  /** Returns rows with the tasks that they are about. */
  const withTasks = <Row extends { readonly payload: DeadLetter['payload'] }>(
    ref: AccountRef,
    rows: readonly Row[],
  ) =>
    Promise.all(
      rows.map(async (row) => {
        const task = row.payload.task && (await tasks.get(ref, row.payload.task));
        if (!task) return { ...row, of: '' };
        const title = await campaigns.titleOf(ref, task.campaign);
        return { ...row, of: ofTask(title, task.worker.name ?? task.worker.id) };
      }),
    );

  const list = createList<FailedJobs>({
    codec: failedJobsCodec,
    async render(ref, state, _actor, outcome) {
      const letters = await withTasks(ref, await jobs.deadLetters(ref));
      return deadLettersMessage(letters, await withTasks(ref, await jobs.failing(ref)), state, outcome);
    },
  });

  /** Retries or discards a dead letter, after its audit entry. Resolves false if somebody else was first. */
  async function act({ ref, ...actor }: Actor & { ref: AccountRef }, letter: DeadLetter, what: Act) {
    const { name, reason, payload } = letter;
    const { task, kind, id } = payload;
    const message = kind === 'announcement' ? { message: MessageId.parse(id) } : {};
    const about = { ...(task ? { task } : {}), ...message, before: `${name}: ${reason}` };
    await audit.append(ref, { what: `${what} job`, ...doneBy(actor), ...about });
    if (what === 'retry') return jobs.retry(letter);
    if (!(await jobs.discard(letter))) return false;
    // What still waits for it would have it queued again.
    if (task !== undefined) await tasks.clearNeedsRender(ref, task);
    if (kind !== undefined && id !== undefined) await messages[kind].clearNeedsRender(ref, id);
    return true;
  }

  /** A button of a row. */
  const choose = (what: Act, done: string): Entry<Click> =>
    list.act('rate', async (click) => {
      const letters = await jobs.deadLetters(click.ref);
      const letter = letters.find(({ key, earlier }) => [key, ...earlier].includes(click.value));
      return letter && (await act(click, letter, what)) ? done : alreadyGone;
    });

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'failed',
        usage: '',
        help: 'Lists actions that failed, to try them again or discard them, and what is still being tried.',
        needs: 'see',
        run: list.open((account) => ({ account, page: 0 })),
      },
    ],
    clicks: {
      ...list.pages('given-up.page'),
      'given-up.retry': choose('retry', retried),
      'given-up.discard': choose('discard', discarded),
      'given-up.retry-all': list.act('rate', async (click) => {
        for (const letter of await jobs.deadLetters(click.ref)) await act(click, letter, 'retry');
        return allRetried;
      }),
    },
  };
}
