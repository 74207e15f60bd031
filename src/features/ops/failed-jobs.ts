import type { AccountRef } from '../../domain/terms.ts';
import type { DeadLetter } from '../../jobs/dead-letters.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCommand } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Entry, Feature } from '../../slack/feature.ts';
import {
  allRetried,
  alreadyGone,
  deadLettersMessage,
  discarded,
  pageAction,
  pageOfBlock,
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

  async function withTask<Row extends { readonly payload: DeadLetter['payload'] }>(
    ref: AccountRef,
    rows: readonly Row[],
  ) {
    return Promise.all(rows.map(async (row) => ({ ...row, task: await taskOf(ref, row.payload) })));
  }

  async function render(ref: AccountRef, page: number, outcome?: string): Promise<Message> {
    const letters = await withTask(ref, await jobs.deadLetters(ref));
    return deadLettersMessage(letters, await withTask(ref, await jobs.failing(ref)), page, outcome);
  }

  const turn: Entry<Click> = {
    needs: 'see',
    run: async ({ authorize, replace, value }) => replace(await render(await authorize(), Number(value))),
  };

  /** A button of a row. */
  const choose = (what: 'retry' | 'discard', done: string): Entry<Click> => ({
    needs: 'rate',
    async run(click) {
      const ref = await click.authorize();
      const letters = await jobs.deadLetters(ref);
      const letter = letters.find(({ key, earlier }) => [key, ...earlier].includes(click.value));
      const isDone =
        letter !== undefined && (await jobs.deadLetterActs.choose(ref, letter, what, doneBy(click)));
      await click.replace(await render(ref, pageOfBlock(click.blockId), isDone ? done : alreadyGone));
    },
  });

  return {
    commands: [
      onCommand(
        {
          command: '/proofdesk',
          word: 'failed',
          usage: '',
          help: 'Lists actions that failed, to try them again or discard them, and what is still being tried.',
          needs: 'see',
        },
        async ({ ref, answer }) => answer(await render(ref, 0)),
      ),
    ],
    clicks: {
      [`${pageAction}.previous`]: turn,
      [`${pageAction}.next`]: turn,
      'given-up.retry': choose('retry', retried),
      'given-up.discard': choose('discard', discarded),
      'given-up.retry-all': {
        needs: 'rate',
        async run(click) {
          const ref = await click.authorize();
          for (const letter of await jobs.deadLetters(ref))
            await jobs.deadLetterActs.choose(ref, letter, 'retry', doneBy(click));
          await click.replace(await render(ref, 0, allRetried));
        },
      },
    },
  };
}
