import type { AccountRef } from '../../domain/terms.ts';
import type { DeadLetter } from '../../jobs/dead-letters.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Click, Entry, Feature } from '../../slack/feature.ts';
import { createList } from '../../ui/list.ts';
import {
  allRetried,
  alreadyGone,
  deadLettersMessage,
  discarded,
  type FailedJobs,
  failedJobsCodec,
  retried,
  type TaskOfJob,
} from './failed-jobs.view.ts';

/**
 * Creates the list of failed jobs: those that cannot succeed as things are, which an account's members can retry or
 * discard; and work that keeps failing and is retried automatically.
 */
export function createDeadLetters({ jobs, tasks, campaigns }: Modules): Feature {
  async function taskOf(ref: AccountRef, payload: DeadLetter['payload']): Promise<TaskOfJob | undefined> {
    const task = payload.task && (await tasks.get(ref, payload.task));
    return (
      task && {
        campaignTitle: (await campaigns.get(ref, task.campaign))?.title,
        worker: task.worker.name ?? task.worker.id,
      }
    );
  }

  const withTask = <Row extends { readonly payload: DeadLetter['payload'] }>(
    ref: AccountRef,
    rows: readonly Row[],
  ) => Promise.all(rows.map(async (row) => ({ ...row, task: await taskOf(ref, row.payload) })));

  const list = createList<FailedJobs>({
    codec: failedJobsCodec,
    command: '/proofdesk failed',
    async render(ref, state, _actor, outcome) {
      const letters = await withTask(ref, await jobs.deadLetters(ref));
      return deadLettersMessage(letters, await withTask(ref, await jobs.failing(ref)), state, outcome);
    },
  });

  /** A button of a row. */
  const choose = (what: 'retry' | 'discard', done: string): Entry<Click> =>
    list.act('rate', async (click) => {
      const letters = await jobs.deadLetters(click.ref);
      const letter = letters.find(({ key, earlier }) => [key, ...earlier].includes(click.value));
      const isDone = letter && (await jobs.deadLetterActs.choose(click.ref, letter, what, doneBy(click)));
      return isDone ? done : alreadyGone;
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
        for (const letter of await jobs.deadLetters(click.ref))
          await jobs.deadLetterActs.choose(click.ref, letter, 'retry', doneBy(click));
        return allRetried;
      }),
    },
  };
}
