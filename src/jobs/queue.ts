import { DelayedError, type Job, type JobsOptions, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import type { FailingJobs } from '../store/failing-jobs.ts';
import {
  catalogue,
  concurrency,
  isDroppedOnFailure,
  type JobName,
  jobOptions,
  type Payload,
  type QueueName,
  retryWait,
} from './catalogue.ts';
import { createDeadLetters, type DeadLetter, isOf, isPermanent, JobSubject } from './dead-letters.ts';

export const queueNames: QueueName[] = [...new Set(Object.values(catalogue).map(({ queue }) => queue))];

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
      const delay = delayMs > 0 ? { delay: delayMs } : {};
      await queueOf(name).add(name, payload, { ...optionsOf(name, uniqueKey), ...delay });
    },

    /** Adds many jobs of one kind, each with its unique key as in `add`. */
    async addAll<Name extends JobName>(
      name: Name,
      payloads: readonly Payload<Name>[],
      uniqueKeyOf: (payload: Payload<Name>) => string,
    ): Promise<void> {
      if (payloads.length === 0) return;
      const jobs = payloads.map((data) => ({ name, data, opts: optionsOf(name, uniqueKeyOf(data)) }));
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

    /** Counts the jobs of each queue, by state; `failing` are those that {@link failing} lists. */
    async counts(): Promise<{ queue: QueueName; state: string; count: number }[]> {
      const listed = await failing.list(failuresBeforeListed);
      const counted = [...queues].map(async ([name, queue]) => ({
        name,
        counts: {
          ...(await queue.getJobCounts('waiting', 'active', 'delayed', 'failed')),
          failing: listed.filter((job) => catalogue[job.name as JobName]?.queue === name).length,
        },
      }));
      return (await Promise.all(counted)).flatMap(({ name, counts }) =>
        Object.entries(counts).map(([state, count]) => ({ queue: name, state, count })),
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

function optionsOf(name: JobName, uniqueKey?: string): JobsOptions {
  return {
    ...jobOptions(name),
    ...(uniqueKey ? { deduplication: { id: `${name} ${uniqueKey}`, keepLastIfActive: true } } : {}),
  };
}

const states = ['active', 'waiting', 'delayed', 'prioritized', 'failed', 'completed'] as const;

const OfWorkspace = z.object({ workspace: z.string() });

/**
 * Removes a workspace's jobs from a queue, their repetitions, and the queue's events, which name accounts. Returns the
 * number of jobs that there were. A job that is running in another process cannot be removed: it removes itself when it ends.
 */
async function eraseJobs(queue: Queue, workspace: WorkspaceId): Promise<number> {
  const isIts = (data: unknown) => OfWorkspace.safeParse(data).data?.workspace === workspace;
  for (const { key, template } of await queue.getJobSchedulers()) {
    if (isIts(template?.data)) await queue.removeJobScheduler(key);
  }
  let found = 0;
  for (const job of await queue.getJobs([...states])) {
    if (job === undefined || !isIts(job.data)) continue;
    await job.remove().catch(() => undefined);
    found += 1;
  }
  await queue.trimEvents(0);
  return found;
}

/** How long a worker is paused when Redis refuses its commands (ms). */
const pauseMs = 1_000;

/** The end of a job whose work has to wait: it runs again after that long (ms), without counting as failed. */
export interface Again {
  readonly again: number;
}

/** Whether something has to wait. */
export const isAgain = (one: object): one is Again => 'again' in one;

/**
 * Thrown by a call of a job to the marketplace or Slack while such calls pause: the job runs again when they may be made.
 * The only error that means this; all else that has to wait is returned.
 */
export class Paused extends Error {
  override readonly name = 'Paused';
  readonly waitMs: number;
  /** Slack's method, or `marketplace`. */
  readonly call: string;
  /** Why the marketplace's last call failed. */
  readonly code: string;
  constructor(waitMs: number, call: string, code = '') {
    super(`${call} pauses for ${waitMs} ms`);
    this.waitMs = waitMs;
    this.call = call;
    this.code = code;
  }
}

/** How a job ended: its work is done, or has to wait. */
// biome-ignore lint/suspicious/noConfusingVoidType: most handlers return nothing
export type JobEnd = Again | void;

export type JobHandlers = {
  [Name in JobName]: (payload: Payload<Name>) => Promise<JobEnd>;
};

/**
 * Starts the workers of every queue. Payloads are parsed again. A failed job is retried without a limit, with increasing
 * backoff, or dropped where the next poll queues its work again; one that can never succeed becomes a dead letter. A job that
 * its process has not renewed for `timeouts.jobLockMs` runs in another process. Returns `stop`, which takes no new jobs and waits for the running ones.
 * Cards are updated until the end, so that they show the effects of the last other jobs.
 */
export function startJobRunners(
  connection: Redis,
  handlers: JobHandlers,
  failing: FailingJobs,
  logger: Logger,
  timeouts: { readonly jobLockMs: number; readonly firstRetryMs: number },
) {
  const warn = createThrottledWarning(logger);
  const workers = queueNames.map((queue) => {
    const work = (job: Job, token: string | undefined) => {
      logger.debug({ job: job.name, id: job.id }, 'job started');
      return run(job, token, { handlers, failing, logger, firstRetryMs: timeouts.firstRetryMs });
    };
    const worker = new Worker(queue, work, {
      connection,
      prefix: queuePrefixOf(queue),
      concurrency: concurrency[queue],
      lockDuration: timeouts.jobLockMs,
      // Redis refuses a fraction, and no job of a process that was killed would be found.
      stalledInterval: Math.ceil(timeouts.jobLockMs / 3),
      maxStalledCount: 50,
      // Delay after a lost connection; BullMQ's default of 15 seconds is as long as a whole failover may take.
      runRetryDelay: timeouts.firstRetryMs,
    });
    worker.on('failed', (job, error) => {
      logger.warn({ job: job?.name, payload: job?.data, err: error }, 'job failed');
    });
    worker.on('error', (error) => {
      warn({ queue, reason: messageOf(error) }, 'Redis unreachable');
      if (error.name !== 'ReplyError' || worker.isPaused()) return;
      // While Redis refuses writes, it would ask for the next job at once, thousands of times a second: BullMQ has this from
      // its predecessor (https://github.com/OptimalBits/bull/issues/1304). A job whose end was refused runs again when its
      // lock has expired.
      void worker.pause(true);
      setTimeout(() => void worker.resume(), pauseMs).unref();
    });
    return worker;
  });

  return {
    async stop(): Promise<void> {
      const isLast = ({ name }: Worker) => name === lastQueue;
      await Promise.all(workers.filter((worker) => !isLast(worker)).map((worker) => worker.close()));
      await Promise.all(workers.filter(isLast).map((worker) => worker.close()));
    },
  };
}

const lastQueue: QueueName = 'answers';

/** How long processes of two versions may run side by side (ms), and when a job looks again for one that can read it. */
const upgradeMs = 3_600_000;
const unreadableJobMs = 1_000;

interface RunParts {
  readonly handlers: JobHandlers;
  readonly failing: FailingJobs;
  readonly logger: Logger;
  readonly firstRetryMs: number;
}

async function run(job: Job, token: string | undefined, parts: RunParts): Promise<void> {
  const name = job.name as JobName;
  const entry = Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
  const { failing, ...data } = job.data as { readonly failing?: true };
  const parsed = entry?.payload.safeParse(data);
  if (!parsed?.success) {
    // A newer version may have queued it: then its processes do it, which take the place of this one.
    const dueAt = job.timestamp + (job.opts.delay ?? 0);
    if (Date.now() - dueAt < upgradeMs) {
      // The same work in the form of this version need not wait for it.
      await job.removeDeduplicationKey();
      return putBack(job, token, unreadableJobMs);
    }
    throw new UnrecoverableError(`unknown job or unreadable payload: ${job.name}`);
  }
  const handler = parts.handlers[name] as (payload: unknown) => Promise<JobEnd>;

  /** Returns after how long a failed job runs again (ms); undefined if another one retries its work. Throws to give up. */
  async function retryAfter(error: unknown): Promise<number | undefined> {
    if (isDroppedOnFailure(name)) throw error;
    if (isPermanent(error)) {
      await parts.failing.remove(name, parsed?.data);
      throw new UnrecoverableError(messageOf(error));
    }
    // A failure that Redis does not take, because it is away, is one that passes too.
    const times = await parts.failing
      .record(job.id ?? '', name, parsed?.data, messageOf(error))
      .catch(() => 1);
    parts.logger.warn({ job: name, payload: parsed?.data, times, err: error }, 'job failed, is tried again');
    if (times === undefined) return undefined;
    // Its work is on the list of failing work.
    if (!failing) await job.updateData({ ...data, failing: true });
    return retryWait(times, parts.firstRetryMs);
  }

  let waitMs: number | undefined;
  try {
    waitMs = (await handler(parsed.data))?.again;
    if (failing) await parts.failing.remove(name, parsed.data);
  } catch (error) {
    waitMs = error instanceof Paused ? error.waitMs : await retryAfter(error);
  }
  if (waitMs !== undefined) await putBack(job, token, waitMs);
}

async function putBack(job: Job, token: string | undefined, waitMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.max(1, Math.ceil(waitMs)), token);
  throw new DelayedError();
}

/**
 * Returns the prefix of BullMQ's keys for a queue: a separate hash tag, so that each queue is whole on one node of a Redis
 * Cluster, but not all of them on the same one.
 */
export const queuePrefixOf = (queue: QueueName) => `{proofdesk:queue:${queue}}`;
