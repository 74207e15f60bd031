import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import type { AuditStep } from './audit.ts';
import { accountKey, createCodec, failingJobsKey } from './format.ts';
import { createStoredHash, type ErrorLogger, swapField } from './stored-hash.ts';

/** Work that keeps failing, and is retried repeatedly. */
const FailingJob = z
  .object({
    /** The job that retries it: other jobs with the same work leave it to that one. */
    job: z.string(),
    name: z.string(),
    payload: z.unknown(),
    /** When it failed first and last (ms), and how often. */
    since: z.number(),
    at: z.number(),
    times: z.number(),
    reason: z.string(),
  })
  .readonly();
type FailingJob = z.infer<typeof FailingJob>;

export const failingJobCodec = createCodec('failing-job', FailingJob);

/** A job that has not failed again for this long (ms) is gone, or waits for a dependency that is itself reported. */
const goneMs = 300_000;
/** Entries not changed for this long (ms) are removed. */
const forgottenMs = 86_400_000;

export type FailingJobs = ReturnType<typeof createFailingJobs>;

/** Creates the list of work that keeps failing, by job name and payload. */
export function createFailingJobs(redis: Redis, now: () => number, logger?: ErrorLogger) {
  const stored = createStoredHash(
    redis,
    { codec: failingJobCodec, field: z.string(), key: () => failingJobsKey },
    logger,
  );
  const fieldOf = (name: string, payload: unknown) => `${name} ${JSON.stringify(payload)}`;

  return {
    /**
     * Records a failure. Resolves to the number of failures of this work, or to undefined when another job retries it, so
     * that this one need not.
     */
    async record(job: string, name: string, payload: unknown, reason: string): Promise<number | undefined> {
      const at = now();
      let times: number | undefined;
      await stored.update('all', fieldOf(name, payload), (before) => {
        const isOther = before !== undefined && before.job !== job && at - before.at < goneMs;
        times = isOther ? undefined : (before?.times ?? 0) + 1;
        if (times === undefined) return before;
        return { job, name, payload, since: before?.since ?? at, at, times, reason };
      });
      return times;
    },

    async remove(name: string, payload: unknown): Promise<void> {
      await stored.remove('all', fieldOf(name, payload));
    },

    /** Returns the work that failed at least this often and recently. */
    async list(atLeast: number): Promise<FailingJob[]> {
      const found: FailingJob[] = [];
      for (const [field, job] of await stored.all('all')) {
        if (job.at < now() - forgottenMs) await stored.remove('all', field);
        else if (job.times >= atLeast && job.at > now() - goneMs) found.push(job);
      }
      return found.sort((a, b) => b.at - a.at);
    },
  };
}

/** Somebody's choice for a dead letter: retry its job, or discard it. */
const DeadLetterChoice = z.object({ what: z.enum(['retry', 'discard']) }).readonly();
export type DeadLetterChoice = z.infer<typeof DeadLetterChoice>;

export const deadLetterChoiceCodec = createCodec('dead-letter-choice', DeadLetterChoice);

/**
 * Creates the store of choices for dead letters. In a cluster, the jobs themselves are on another node than an account's
 * audit, so a choice is first stored with its entry, and then carried out, by a poll if necessary.
 */
export function createDeadLetterChoices(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'dead-letter-choices');
  const stored = createStoredHash(redis, { codec: deadLetterChoiceCodec, field: z.string(), key }, logger);
  return {
    /** Stores the choice for a job's failure, with its entry. Resolves to false when somebody else has already chosen. */
    choose: (ref: AccountRef, failure: string, choice: DeadLetterChoice, step: AuditStep) =>
      swapField(redis, key(ref), failure, '', deadLetterChoiceCodec.encode(choice), step),

    /** Returns the choices, by the failure that they are for. */
    all: stored.all,
    remove: stored.remove,
  };
}
