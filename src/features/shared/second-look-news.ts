import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/** Queues that the two who differ on a task are told of a verdict. If the job is lost, a poll queues another. */
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
