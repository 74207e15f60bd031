import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, MessageId, TaskId, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { catalogue, type JobName, type Payload, type QueueName, retryPolicy } from './catalogue.ts';

/** Prefix of BullMQ's keys: a hash tag, so that a queue is on one node of a cluster. */
export const queuePrefix = '{proofdesk}';

export const queueNames = [
  ...new Set(Object.values(catalogue).map(({ queue }) => queue)),
] satisfies QueueName[];

/** Up to version 0.1, polls were on a queue of this name. */
const obsoleteQueues = ['looks'];

export type Jobs = ReturnType<typeof createJobs>;

/** What a dead letter is about. One whose payload cannot be read belongs to no account, and can still be discarded. */
const DeadLetterPayload = z
  .object({
    workspace: WorkspaceId,
    account: AccountId,
    task: TaskId.exactOptional(),
    message: MessageId.exactOptional(),
  })
  .catch({ workspace: WorkspaceId.parse(''), account: AccountId.parse('') });

/** A job that has used up its attempts and waits for a person to retry or discard it. */
export interface DeadLetter {
  /** Identifies it in {@link Jobs}' `retry` and `discard`. */
  readonly key: string;
  readonly name: JobName;
  readonly payload: z.infer<typeof DeadLetterPayload>;
  readonly reason: string;
  /** When its last attempt failed (ms). */
  readonly at: number;
}

/** How many of the latest dead letters are read from each queue. */
const maxDeadLetters = 200;

/** Creates the queues, on which features put work to be done now, later, or repeatedly. */
export function createJobs(connection: Redis, logger: Logger) {
  const warn = createThrottledWarning(logger);
  const queues = new Map(
    queueNames.map((name) => {
      const queue = new Queue(name, { connection, prefix: queuePrefix });
      queue.on('error', (error) => warn({ queue: name, reason: messageOf(error) }, 'Redis unreachable'));
      return [name, queue];
    }),
  );

  /** Names the run of Redis: a job that an earlier run lost half of must not keep others with its unique key waiting. */
  let generation = '';

  /** Returns options that let one job with a key wait at a time; one that is added while another runs follows once. */
  function deduplication(name: JobName, uniqueKey: string) {
    return { id: `${name} ${uniqueKey}${generation}`, keepLastIfActive: true };
  }

  function queueOf(name: JobName): Queue {
    const queue = queues.get(catalogue[name].queue);
    if (queue === undefined) throw new Error(`no queue for ${name}`);
    return queue;
  }

  async function failedJob(key: string) {
    const [queue = '', id = ''] = key.split(' ');
    const job = await queues.get(queue as QueueName)?.getJob(id);
    return job !== undefined && (await job.isFailed()) ? job : undefined;
  }

  return {
    /**
     * Adds a job. Of jobs with the same `uniqueKey`, one waits at a time; one that is added while another runs follows
     * once.
     */
    async add<Name extends JobName>(
      name: Name,
      payload: Payload<Name>,
      { delayMs = 0, uniqueKey }: { delayMs?: number; uniqueKey?: string } = {},
    ): Promise<void> {
      await queueOf(name).add(name, payload, {
        ...retryPolicy(name),
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
        opts: { ...retryPolicy(name), deduplication: deduplication(name, uniqueKeyOf(data)) },
      }));
      await queueOf(name).addBulk(jobs);
    },

    /** Repeats a job every `everyMs`, the first time at once. An id is repeated once, however many processes ask. */
    async repeat<Name extends JobName>(
      name: Name,
      id: string,
      everyMs: number,
      payload: Payload<Name>,
    ): Promise<void> {
      await queueOf(name).upsertJobScheduler(
        `${name} ${id}`,
        { every: everyMs },
        { name, data: payload, opts: retryPolicy(name) },
      );
    },

    /** Begins another run of Redis, named `name`: unique keys no longer compare with those of jobs added before. */
    startGeneration(name: string): void {
      generation = ` ${name}`;
    },

    async stopRepeating(name: JobName, id: string): Promise<void> {
      await queueOf(name).removeJobScheduler(`${name} ${id}`);
    },

    /** Returns the dead letters of one account or of all, the latest first. */
    async deadLetters(ref?: AccountRef): Promise<DeadLetter[]> {
      const found: DeadLetter[] = [];
      for (const [name, queue] of queues) {
        for (const job of await queue.getFailed(0, maxDeadLetters - 1)) {
          const payload = DeadLetterPayload.parse(job.data);
          if (ref && (payload.workspace !== ref.workspace || payload.account !== ref.account)) continue;
          found.push({
            key: `${name} ${job.id}`,
            name: job.name as JobName,
            payload,
            reason: job.failedReason,
            at: job.finishedOn ?? job.timestamp,
          });
        }
      }
      return found.sort((a, b) => b.at - a.at);
    },

    /** Tries a dead letter again. Returns false when it no longer exists. */
    async retry(key: string): Promise<boolean> {
      const job = await failedJob(key);
      await job?.retry('failed');
      return job !== undefined;
    },

    /** Removes a dead letter. Returns false when it no longer exists. */
    async discard(key: string): Promise<boolean> {
      const job = await failedJob(key);
      await job?.remove();
      return job !== undefined;
    },

    /** Removes the queues of earlier versions: every poll queues their work anew under today's names. */
    async removeObsoleteQueues(): Promise<void> {
      for (const name of obsoleteQueues) {
        const queue = new Queue(name, { connection, prefix: queuePrefix });
        queue.on('error', (error) => warn({ queue: name, reason: messageOf(error) }, 'Redis unreachable'));
        await queue.obliterate({ force: true });
        await queue.close();
      }
    },

    async close(): Promise<void> {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
