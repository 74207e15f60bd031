import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { catalogue, type JobName, jobOptions, type Payload, type QueueName } from './catalogue.ts';
import { createDeadLetters, type DeadLetter, isOf } from './dead-letters.ts';
import { type FailingJobs, JobSubject } from './failing.ts';
import { queuePrefixOf } from './queue-prefix.ts';

export { queuePrefixOf } from './queue-prefix.ts';

export const queueNames = [
  ...new Set(Object.values(catalogue).map(({ queue }) => queue)),
] satisfies QueueName[];

export type Jobs = ReturnType<typeof createJobs>;

/** Work that keeps failing for a possibly temporary reason, and is retried automatically. */
export interface FailingWork extends Pick<DeadLetter, 'name' | 'payload' | 'reason'> {
  /** When it failed first (ms). */
  readonly since: number;
}

/** Number of consecutive failures after which work is reported as failing: about half a minute. */
const failuresBeforeListed = 5;

/** Creates the queues, to which features add work to be done now, later, or repeatedly. */
export function createJobs(connection: Redis, logger: Logger, failing: Pick<FailingJobs, 'list'>) {
  const warn = createThrottledWarning(logger);
  const queues = new Map(
    queueNames.map((name) => {
      const queue = new Queue(name, { connection, prefix: queuePrefixOf(name) });
      queue.on('error', (error) => warn({ queue: name, reason: messageOf(error) }, 'Redis unreachable'));
      return [name, queue];
    }),
  );

  /** Returns deduplication options: one job per key waits at a time; one added while another runs follows once. */
  function deduplication(name: JobName, uniqueKey: string) {
    return { id: `${name} ${uniqueKey}`, keepLastIfActive: true };
  }

  function queueOf(name: JobName): Queue {
    const queue = queues.get(catalogue[name].queue);
    if (queue === undefined) throw new Error(`no queue for ${name}`);
    return queue;
  }

  return {
    ...createDeadLetters(queues),

    /** Adds a job. Of jobs with the same `uniqueKey`, one waits at a time; one added while another runs follows once. */
    async add<Name extends JobName>(
      name: Name,
      payload: Payload<Name>,
      { delayMs = 0, uniqueKey }: { delayMs?: number; uniqueKey?: string } = {},
    ): Promise<void> {
      await queueOf(name).add(name, payload, {
        ...jobOptions(name),
        ...(delayMs > 0 ? { delay: delayMs } : {}),
        ...(uniqueKey ? { deduplication: deduplication(name, uniqueKey) } : {}),
      });
    },

    /** Adds many jobs of one kind, each with its unique key as in `add`. */
    async addAll<Name extends JobName>(
      name: Name,
      payloads: readonly Payload<Name>[],
      uniqueKeyOf: (payload: Payload<Name>) => string,
    ): Promise<void> {
      if (payloads.length === 0) return;
      const jobs = payloads.map((data) => ({
        name,
        data,
        opts: {
          ...jobOptions(name),
          deduplication: deduplication(name, uniqueKeyOf(data)),
        },
      }));
      await queueOf(name).addBulk(jobs);
    },

    /** Repeats a job every `everyMs`, the first time at once. An id is repeated once, however many processes request it. */
    async repeat<Name extends JobName>(
      name: Name,
      id: string,
      everyMs: number,
      payload: Payload<Name>,
    ): Promise<void> {
      await queueOf(name).upsertJobScheduler(
        `${name} ${id}`,
        { every: everyMs },
        { name, data: payload, opts: jobOptions(name) },
      );
    },

    async stopRepeating(name: JobName, id: string): Promise<void> {
      await queueOf(name).removeJobScheduler(`${name} ${id}`);
    },

    /** Returns the failing work of one account or of all that is retried automatically, latest first. */
    async failing(ref?: AccountRef): Promise<FailingWork[]> {
      return (await failing.list(failuresBeforeListed)).flatMap(
        ({ name, payload: stored, since, reason }) => {
          const payload = JobSubject.parse(stored);
          return isOf(ref, payload) ? [{ name: name as JobName, payload, since, reason }] : [];
        },
      );
    },

    /** Removes all jobs of a workspace, including repeated ones and dead letters. Returns how many. */
    async eraseWorkspace(workspace: WorkspaceId): Promise<number> {
      let erased = 0;
      for (const queue of queues.values()) erased += await eraseJobs(queue, workspace);
      return erased;
    },

    async close(): Promise<void> {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

const states = ['active', 'waiting', 'delayed', 'prioritized', 'failed', 'completed'] as const;

const OfWorkspace = z.object({ workspace: z.string() });

/**
 * Removes a workspace's jobs from a queue, their repetitions, and the queue's events, which name accounts. Returns the
 * number of jobs. A job that is running in another process cannot be removed: it removes itself when it ends.
 */
async function eraseJobs(queue: Queue, workspace: WorkspaceId): Promise<number> {
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
