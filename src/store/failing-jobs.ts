import type { Redis } from 'ioredis';
import { z } from 'zod';
import { createCodec, failingJobsKey } from './format.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

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
