import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/** Queues the notification of the two reviewers who differ on a task. If the job is lost, a poll requeues it. */
export async function queueTelling(
  jobs: Pick<FeatureContext['jobs'], 'add'>,
  ref: AccountRef,
  task: TaskId,
  verdict: string,
): Promise<void> {
  const { workspace, account } = ref;
  await jobs.add(
    'tell-difference',
    { workspace, account, task },
    { uniqueKey: `${account} ${task} ${verdict}` },
  );
}
