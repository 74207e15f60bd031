import { type AccountRef, MessageId } from '../../domain/terms.ts';
import type { MessageKind } from '../../jobs/catalogue.ts';
import type { DeadLetter } from '../../jobs/dead-letters.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand } from '../../kit/on.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { deadLettersMessage, failedJobsValue, ofTask } from './failed-jobs.view.ts';

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

  async function render(ref: AccountRef, done?: Act) {
    const letters = await withTasks(ref, await jobs.deadLetters(ref));
    return deadLettersMessage(ref.account, letters, await withTasks(ref, await jobs.failing(ref)), done);
  }

  /** Retries or discards a dead letter, after its audit entry. One that somebody else has handled meanwhile is left. */
  async function act({ ref, ...actor }: Actor & { ref: AccountRef }, letter: DeadLetter, what: Act) {
    const { name, reason, payload } = letter;
    const { task, kind, id } = payload;
    const message = kind === 'announcement' ? { message: MessageId.parse(id) } : {};
    const about = { ...(task ? { task } : {}), ...message, before: `${name}: ${reason}` };
    await audit.append(ref, { what: `${what} job`, ...doneBy(actor), ...about });
    if (what === 'retry') return void (await jobs.retry(letter));
    if (!(await jobs.discard(letter))) return;
    // What still waits for it would have it queued again.
    if (task !== undefined) await tasks.clearNeedsRender(ref, task);
    if (kind !== undefined && id !== undefined) await messages[kind].clearNeedsRender(ref, id);
  }

  const actOnAll = (what: Act) =>
    onButton(failedJobsValue, { needs: 'rate', once: true }, async (click) => {
      // What failed since is not in the list that was read.
      const letters = (await jobs.deadLetters(click.ref)).filter(({ at }) => at <= click.value.upTo);
      for (const letter of letters) await act(click, letter, what);
      await click.replace(await render(click.ref, what));
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
        async ({ ref, answer }) => answer(await render(ref)),
      ),
    ],
    clicks: {
      'given-up.retry': actOnAll('retry'),
      'given-up.discard': actOnAll('discard'),
    },
  };
}
