import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import {
  catalogue,
  concurrency,
  isDroppedOnFailure,
  type JobName,
  type Payload,
  type QueueName,
  retryWait,
} from './catalogue.ts';
import type { FailingJobs } from './failing.ts';
import { permanentReason, unreadableJob } from './permanent-failures.ts';
import { queueNames } from './queue.ts';
import { queuePrefixOf } from './queue-prefix.ts';

/** How long a worker is paused when Redis refuses its commands (ms). */
const pauseMs = 1_000;

/** Thrown by a handler whose work has to wait: the job runs again later, without counting as failed. */
export class Reschedule extends Error {
  override readonly name = 'Reschedule';
  readonly delayMs: number;
  constructor(delayMs: number) {
    super(`rescheduled in ${delayMs} ms`);
    this.delayMs = Math.max(1, Math.ceil(delayMs));
  }
}

/** Thrown when a job has to wait because calls to the marketplace pause. */
export class Unavailable extends Reschedule {
  /** Why the last call failed. */
  readonly code: string;
  constructor(delayMs: number, code: string) {
    super(delayMs);
    this.code = code;
  }
}

/** Thrown when Slack cannot be called yet, because it limits the call or does not answer. */
export class SlackBusy extends Reschedule {
  readonly method: string;
  constructor(delayMs: number, method: string) {
    super(delayMs);
    this.method = method;
  }
}

export type JobHandlers = {
  [Name in JobName]: (payload: Payload<Name>) => Promise<void>;
};

/**
 * Starts the workers of every queue. Payloads are parsed again. A failed job is retried without a limit, with increasing
 * backoff, or dropped where the next poll queues its work again; one that can never succeed becomes a dead letter. A job that its process has not renewed for
 * `timeouts.jobLockMs` runs in another process. Returns `stop`, which takes no new jobs and waits for the running ones.
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
  if (!parsed?.success) throw new UnrecoverableError(unreadableJob(job.name));
  const handler = parts.handlers[name] as (payload: unknown) => Promise<void>;

  async function runAgain(delayMs: number): Promise<never> {
    await job.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  try {
    await handler(parsed.data);
    if (failing) await parts.failing.remove(name, parsed.data);
  } catch (error) {
    if (error instanceof Reschedule) return runAgain(error.delayMs);
    if (isDroppedOnFailure(name)) throw error;
    if (permanentReason(error) !== undefined) {
      await parts.failing.remove(name, parsed.data);
      throw new UnrecoverableError(messageOf(error));
    }
    const times = await parts.failing.record(job.id ?? '', name, parsed.data, messageOf(error));
    parts.logger.warn({ job: name, payload: parsed.data, times, err: error }, 'job failed, is tried again');
    // Another job already retries the same work.
    if (times === undefined) return;
    // Its work is on the list of failing work.
    if (!failing) await job.updateData({ ...data, failing: true });
    await runAgain(retryWait(times, parts.firstRetryMs));
  }
}
