import type { Queue } from 'bullmq';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';

const states = ['active', 'waiting', 'delayed', 'prioritized', 'failed', 'completed'] as const;

const OfWorkspace = z.object({ workspace: z.string() });

/**
 * Removes a workspace's jobs from a queue, their repetitions, and the queue's events, which name accounts. Returns the
 * number of jobs. A job that is running in another process cannot be removed: it removes itself when it ends.
 */
export async function eraseJobs(queue: Queue, workspace: WorkspaceId): Promise<number> {
  const isIts = (data: unknown) => OfWorkspace.safeParse(data).data?.workspace === workspace;
  for (const { key, template } of await queue.getJobSchedulers()) {
    if (isIts(template?.data)) await queue.removeJobScheduler(key);
  }
  let erased = 0;
  for (const job of await queue.getJobs([...states])) {
    if (job === undefined || !isIts(job.data)) continue;
    await queue.removeDeduplicationKey(job.deduplicationId ?? '').catch(() => 0);
    erased += await job.remove().then(
      () => 1,
      () => 0,
    );
  }
  await queue.trimEvents(0);
  return erased;
}
