import type { AccountRef } from '../../domain/terms.ts';
import type { DeadLetter } from '../../jobs/dead-letters.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Authorized, Click, Feature } from '../../slack/feature.ts';
import {
  allRetried,
  alreadyGone,
  type DeadLetterRow,
  deadLettersMessage,
  discarded,
  type FailingRow,
  pageAction,
  pageOfBlock,
  retried,
  type TaskOfJob,
} from './dead-letters.view.ts';

/** Creates the feature of dead letters: jobs that cannot succeed as things are, which an account's
 * members can retry or discard; and of work that keeps failing and is retried automatically. */
export function createDeadLetters(deps: Modules): Feature {
  const { jobs, tasks } = deps;

  async function lettersOf(ref: AccountRef): Promise<DeadLetterRow[]> {
    const letters: DeadLetterRow[] = [];
    for (const { key, name, payload, reason, at } of await jobs.deadLetters(ref)) {
      const task = await taskOf(ref, payload);
      letters.push({ key, name, reason, at, ...(task ? { task } : {}) });
    }
    return letters;
  }

  async function failingOf(ref: AccountRef): Promise<FailingRow[]> {
    const rows: FailingRow[] = [];
    for (const { name, payload, reason, since } of await jobs.failing(ref)) {
      const task = await taskOf(ref, payload);
      rows.push({ name, reason, since, ...(task ? { task } : {}) });
    }
    return rows;
  }

  async function taskOf(ref: AccountRef, payload: DeadLetter['payload']): Promise<TaskOfJob | undefined> {
    const task = payload.task === undefined ? undefined : await tasks.get(ref, payload.task);
    if (task === undefined) return undefined;
    const campaignTitle = (await deps.campaigns.get(ref, task.campaign))?.title;
    const { id, name = id } = task.worker;
    return { worker: name, ...(campaignTitle ? { campaignTitle } : {}) };
  }

  /** Returns the job of the clicked row, unless it is gone or belongs to another account. */
  async function clickedJob(click: Click): Promise<{ ref: AccountRef; job: DeadLetter | undefined }> {
    const ref = await click.authorize();
    const letters = await jobs.deadLetters(ref);
    return { ref, job: letters.find(({ key, earlier }) => [key, ...earlier].includes(click.value)) };
  }

  async function show(
    { authorize }: Pick<Authorized, 'authorize'>,
    respond: Authorized['answer'],
    page: number,
    outcome?: string,
  ): Promise<void> {
    const ref = await authorize();
    await respond(deadLettersMessage(await lettersOf(ref), await failingOf(ref), page, outcome));
  }

  const showPage = (click: Click) => show(click, click.replace, Number(click.value));

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'failed',
        usage: '',
        help: 'Lists actions that failed, to try them again or discard them, and what is still being tried.',
        needs: 'see',
        run: (command) => show(command, command.answer, 0),
      },
    ],
    clicks: {
      [`${pageAction}.previous`]: { needs: 'see', run: showPage },
      [`${pageAction}.next`]: { needs: 'see', run: showPage },
      'given-up.retry': {
        needs: 'rate',
        async run(click) {
          const { ref, job } = await clickedJob(click);
          const done =
            job !== undefined && (await jobs.deadLetterActs.choose(ref, job, 'retry', doneBy(click)));
          await show(click, click.replace, pageOfBlock(click.blockId), done ? retried : alreadyGone);
        },
      },
      'given-up.retry-all': {
        needs: 'rate',
        async run(click) {
          const ref = await click.authorize();
          for (const job of await jobs.deadLetters(ref))
            await jobs.deadLetterActs.choose(ref, job, 'retry', doneBy(click));
          await show(click, click.replace, 0, allRetried);
        },
      },
      'given-up.discard': {
        needs: 'rate',
        async run(click) {
          const { ref, job } = await clickedJob(click);
          const done =
            job !== undefined && (await jobs.deadLetterActs.choose(ref, job, 'discard', doneBy(click)));
          await show(click, click.replace, pageOfBlock(click.blockId), done ? discarded : alreadyGone);
        },
      },
    },
  };
}
