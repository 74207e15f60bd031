import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { createBackendBy } from './backend.ts';
import {
  catalogue,
  concurrency,
  type JobName,
  type Payload,
  type QueueName,
  retryWait,
} from './catalogue.ts';
import { queueNames, queuePrefix } from './queue.ts';

/** Thrown by a handler whose work has to wait: the job runs again later, without counting a failed attempt. */
export class Reschedule extends Error {
  override readonly name = 'Reschedule';
  readonly delayMs: number;
  /** Stored with the job and passed to the handler again: the time (ms) that was reserved for a post. */
  readonly slot: number | undefined;
  constructor(delayMs: number, slot?: number) {
    super(`rescheduled in ${delayMs} ms`);
    this.delayMs = Math.max(1, Math.ceil(delayMs));
    this.slot = slot;
  }
}

/** What a handler knows of its job besides the payload: the slot of the {@link Reschedule} that delayed it. */
export interface JobContext {
  readonly slot: number | undefined;
}

export type JobHandlers = {
  [Name in JobName]: (payload: Payload<Name>, context: JobContext) => Promise<void>;
};

/**
 * Starts the workers of every queue. Payloads are parsed again; unreadable ones fail without a retry. A job whose process
 * has not renewed it for `timeouts.jobLockMs` runs in another process.
 * Returns `stop`, which takes no new jobs and waits for those under way. Cards are updated until the end, so that they show
 * what the last of the other jobs did.
 */
export function startJobRunners(
  connection: Redis,
  handlers: JobHandlers,
  logger: Logger,
  timeouts: { readonly jobLockMs: number; readonly firstRetryMs: number },
  now: () => number,
) {
  const warn = createThrottledWarning(logger);
  const backend = createBackendBy(now);
  const workers = queueNames.map((queue) => {
    const work = (job: Job, token: string | undefined) => {
      logger.debug({ job: job.name, id: job.id }, 'job started');
      return run(job, token, handlers);
    };
    const worker = new Worker(
      queue,
      work,
      {
        connection,
        prefix: queuePrefix,
        concurrency: concurrency[queue],
        lockDuration: timeouts.jobLockMs,
        stalledInterval: timeouts.jobLockMs / 3,
        maxStalledCount: 50,
        settings: { backoffStrategy: (attemptsMade) => retryWait(attemptsMade, timeouts.firstRetryMs) },
      },
      backend,
    );
    worker.on('failed', (job, error) => {
      logger.warn(
        { job: job?.name, payload: job?.data, attempt: job?.attemptsMade, err: error },
        'job failed',
      );
    });
    worker.on('error', (error) => warn({ queue, reason: messageOf(error) }, 'Redis unreachable'));
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

async function run(job: Job, token: string | undefined, handlers: JobHandlers): Promise<void> {
  const name = job.name as JobName;
  const entry = Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
  const { slot, ...data } = job.data as { slot?: number };
  const parsed = entry?.payload.safeParse(data);
  if (!parsed?.success) throw new UnrecoverableError(`unknown job or unreadable payload: ${job.name}`);
  const handler = handlers[name] as (payload: unknown, context: JobContext) => Promise<void>;
  try {
    await handler(parsed.data, { slot });
  } catch (error) {
    if (!(error instanceof Reschedule)) throw error;
    if (error.slot !== slot)
      await job.updateData({ ...data, ...(error.slot === undefined ? {} : { slot: error.slot }) });
    // BullMQ takes Date.now() off again; the time of the bot comes in where it is stored, see backend.ts.
    await job.moveToDelayed(Date.now() + error.delayMs, token);
    throw new DelayedError();
  }
}
