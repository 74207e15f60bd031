import type { Job, Queue } from 'bullmq';
import { z } from 'zod';
import { groupBy } from '../domain/collections.ts';
import { AccountId, type AccountRef, TaskId, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import {
  type JobName,
  maxDeadLetters,
  messageKinds,
  type QueueName,
  queuesWithoutDeadLetters,
} from './catalogue.ts';

/** A job that can never succeed under current conditions, and waits for a person to retry or discard it. */
export interface DeadLetter {
  /** Identifies its job. */
  readonly key: string;
  /**
   * Jobs of the same work that failed before: a poll may queue work again while its job is running, and then both fail.
   * `retry` and `discard` remove them.
   */
  readonly earlier: readonly string[];
  readonly name: JobName;
  readonly payload: z.infer<typeof JobSubject>;
  readonly reason: string;
  /** When its last attempt failed (ms). */
  readonly at: number;
}

/** Creates what lists, retries and discards dead letters. */
export function createDeadLetters(queues: ReadonlyMap<QueueName, Queue>) {
  async function failedJob(key: string) {
    const [queue = '', id = ''] = key.split(' ');
    const job = await queues.get(queue as QueueName)?.getJob(id);
    return job !== undefined && (await job.isFailed()) ? job : undefined;
  }

  /** Resolves to false when there is no such dead letter, or when another process is retrying or removing it. */
  async function withFailedJob(key: string, run: (job: Job) => Promise<void>): Promise<boolean> {
    const job = await failedJob(key);
    if (job === undefined) return false;
    try {
      await run(job);
      return true;
    } catch (error) {
      if ((await failedJob(key)) !== undefined) throw error;
      return false;
    }
  }

  async function removeFailedJobs(keys: readonly string[]): Promise<void> {
    for (const key of keys) await withFailedJob(key, (job) => job.remove());
  }

  /** Returns the dead letters of one account or of all, latest first: one for each piece of work. */
  async function deadLetters(ref?: AccountRef): Promise<DeadLetter[]> {
    const keeping = [...queues].filter(([name]) => !queuesWithoutDeadLetters.has(name));
    const found = await Promise.all(
      keeping.map(async ([name, queue]) =>
        (await queue.getFailed(0, maxDeadLetters - 1)).map((job) => ({
          key: `${name} ${job.id}`,
          work: workOf(job),
          name: job.name as JobName,
          payload: JobSubject.parse(job.data),
          reason: job.failedReason,
          at: job.finishedOn ?? job.timestamp,
        })),
      ),
    );
    const latestFirst = found
      .flat()
      .filter(({ payload }) => isOf(ref, payload))
      .sort((a, b) => b.at - a.at);
    return [...groupBy(latestFirst, ({ work }) => work).values()].flatMap(([latest, ...earlier]) => {
      if (latest === undefined) return [];
      const { work: _, ...letter } = latest;
      return [{ ...letter, earlier: earlier.map(({ key }) => key) }];
    });
  }

  /** Retries a dead letter. Returns false when it no longer exists. */
  async function retry({ key, earlier }: Pick<DeadLetter, 'key' | 'earlier'>): Promise<boolean> {
    await removeFailedJobs(earlier);
    return withFailedJob(key, (job) => job.retry('failed'));
  }

  /** Removes a dead letter. Returns false when it no longer exists. */
  async function discard({ key, earlier }: Pick<DeadLetter, 'key' | 'earlier'>): Promise<boolean> {
    await removeFailedJobs(earlier);
    return withFailedJob(key, (job) => job.remove());
  }

  return { deadLetters, retry, discard };
}

/** Identifies the work of a job: its name and its payload. */
function workOf({ name, data }: Job): string {
  const { failing: _, ...payload } = data as Record<string, unknown>;
  return JSON.stringify([name, Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns whether a job is of an account; all are of none in particular. */
export function isOf(ref: AccountRef | undefined, { workspace, account }: AccountRef): boolean {
  return ref === undefined || (workspace === ref.workspace && account === ref.account);
}

/** The subject of a job. A job with an unreadable payload belongs to no account. */
export const JobSubject = z
  .object({
    workspace: WorkspaceId,
    account: AccountId,
    task: TaskId.exactOptional(),
    /** The record whose message it shows. */
    kind: z.enum(messageKinds).exactOptional(),
    id: z.string().exactOptional(),
  })
  .catch({ workspace: WorkspaceId.parse(''), account: AccountId.parse('') });

/** Slack's refusals that apply to a message whenever it is sent: its record must change first. */
const refusedMessages = new Set([
  'msg_too_long',
  'msg_blocks_too_long',
  'too_many_attachments',
  // Images that Slack cannot show were removed before this is final.
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_arguments',
  'invalid_metadata_format',
  'metadata_too_large',
  'no_text',
  'cant_update_message',
  'edit_window_closed',
]);

/** Returns whether a job that failed can never succeed. After any other failure, also an unknown one, a retry may help. */
export function isPermanent(failure: unknown): boolean {
  // The format of SlackError: the method, the code, the details.
  const code = /^chat\.(?:postMessage|update): (\w+)/.exec(messageOf(failure))?.[1] ?? '';
  return refusedMessages.has(code);
}
