import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import {
  catalogue,
  concurrency,
  type JobName,
  type Payload,
  type QueueName,
  retryWait,
} from './catalogue.ts';
import { queueNames, queuePrefix } from './queue.ts';

/** Thrown by a handler whose work has to wait: the job comes back then, without counting as a failed attempt. */
export class Reschedule extends Error {
  override readonly name = 'Later';
  readonly delayMs: number;
  /** Kept with the job and handed back to the handler, such as a reserved place. */
  readonly slot: number | undefined;
  constructor(delayMs: number, slot?: number) {
    super(`later, in ${delayMs} ms`);
    this.delayMs = Math.max(1, Math.ceil(delayMs));
    this.slot = slot;
  }
}

/** What a handler may know of its job besides the payload: the note of the {@link Reschedule} that delayed it. */
export interface JobContext {
  readonly slot: number | undefined;
}

export type JobHandlers = {
  [Name in JobName]: (payload: Payload<Name>, context: JobContext) => Promise<void>;
};

/**
 * Works on every queue. Payloads are parsed again; unreadable ones are given up at once. A job whose process has given
 * no sign of life for `timeouts.jobLockMs` is given to another.
 * Gives `stop`: takes no new jobs and waits for those under way. Cards are redrawn until the end, so that they show what
 * the last of the other jobs did.
 */
export function startJobRunners(
  connection: Redis,
  handlers: JobHandlers,
  logger: Logger,
  timeouts: { readonly jobLockMs: number; readonly firstRetryMs: number },
) {
  const warn = createThrottledWarning(logger);
  const workers = queueNames.map((queue) => {
    const work = (job: Job, token: string | undefined) => {
      logger.debug({ job: job.name, id: job.id }, 'job started');
      return run(job, token, handlers);
    };
    const worker = new Worker(queue, work, {
      connection,
      prefix: queuePrefix,
      concurrency: concurrency[queue],
      lockDuration: timeouts.jobLockMs,
      stalledInterval: timeouts.jobLockMs / 3,
      maxStalledCount: 50,
      settings: { backoffStrategy: (attemptsMade) => retryWait(attemptsMade, timeouts.firstRetryMs) },
    });
    worker.on('failed', (job, error) => {
      logger.warn(
        { job: job?.name, payload: job?.data, attempt: job?.attemptsMade, err: error },
        'a job failed',
      );
    });
    worker.on('error', (error) => warn({ queue, reason: messageOf(error) }, 'a worker has lost Redis'));
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
  if (!parsed?.success) throw new UnrecoverableError(`no such job, or an unreadable payload: ${job.name}`);
  const handler = handlers[name] as (payload: unknown, context: JobContext) => Promise<void>;
  try {
    await handler(parsed.data, { slot });
  } catch (error) {
    if (!(error instanceof Reschedule)) throw error;
    if (error.slot !== slot)
      await job.updateData({ ...data, ...(error.slot === undefined ? {} : { slot: error.slot }) });
    await job.moveToDelayed(Date.now() + error.delayMs, token);
    throw new DelayedError();
  }
}
