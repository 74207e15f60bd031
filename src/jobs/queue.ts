import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type AccountRef, MessageId, TaskId, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { catalogue, type JobName, type Payload, type QueueName, retryPolicy } from './catalogue.ts';

/** Prefix of BullMQ's keys: tagged as one, so that a queue lies on one node of a cluster. */
export const queuePrefix = '{proofdesk}';

export const queueNames = [
  ...new Set(Object.values(catalogue).map(({ queue }) => queue)),
] satisfies QueueName[];

/** Up to version 0.1 polls were on a queue of this name. */
const obsoleteQueues = ['looks'];

/** While a job of that name waits no second one is added; what is asked for while it runs follows once. */
function deduplication(name: JobName, uniqueKey: string) {
  return { id: `${name} ${uniqueKey}`, keepLastIfActive: true };
}

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

/** A job that was tried as often as it may be, and waits for a person to say what becomes of it. */
export interface DeadLetter {
  /** Names it in {@link Jobs}' `retry` and `discard`. */
  readonly key: string;
  readonly name: JobName;
  readonly payload: z.infer<typeof DeadLetterPayload>;
  readonly reason: string;
  /** When it was given up (ms). */
  readonly at: number;
}

/** Of each queue so many of the latest jobs given up are looked at. */
const maxDeadLetters = 200;

/** Where features ask for work to be done: now, later, or again and again. */
export function createJobs(connection: Redis, logger: Logger) {
  const warn = createThrottledWarning(logger);
  const queues = new Map(
    queueNames.map((name) => {
      const queue = new Queue(name, { connection, prefix: queuePrefix });
      queue.on('error', (error) => warn({ queue: name, reason: messageOf(error) }, 'a queue has lost Redis'));
      return [name, queue];
    }),
  );

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
     * Asks for a job. `once` names it: while a job of that name waits no second one is added, and one that is asked for
     * while it runs follows once.
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

    /** Asks for many jobs of one kind at once, each named by `once` as with `add`. */
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

    /** Runs a job every so often, first at once, however many processes ask for it. */
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

    async stopRepeating(name: JobName, id: string): Promise<void> {
      await queueOf(name).removeJobScheduler(`${name} ${id}`);
    },

    /** The jobs that were given up, of one account or of all, the latest first. */
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

    /** Has a job that was given up tried again. Gives false when it is not there any more. */
    async retry(key: string): Promise<boolean> {
      const job = await failedJob(key);
      await job?.retry('failed');
      return job !== undefined;
    },

    /** Drops a job that was given up. Gives false when it is not there any more. */
    async discard(key: string): Promise<boolean> {
      const job = await failedJob(key);
      await job?.remove();
      return job !== undefined;
    },

    /** Removes the queues of earlier versions: every poll queues their work anew under today's names. */
    async removeObsoleteQueues(): Promise<void> {
      for (const name of obsoleteQueues) {
        const queue = new Queue(name, { connection, prefix: queuePrefix });
        queue.on('error', (error) =>
          warn({ queue: name, reason: messageOf(error) }, 'a queue has lost Redis'),
        );
        await queue.obliterate({ force: true });
        await queue.close();
      }
    },

    async close(): Promise<void> {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
