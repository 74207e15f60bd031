import type { Redis } from 'ioredis';
import { z } from 'zod';
import { createCodec } from './codec.ts';
import { failingJobsKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Work that keeps failing, and is tried again and again. */
const FailingJob = z
  .object({
    /** The job that tries it again: others that do the same work leave it to that one. */
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

/** A job that has not failed again for so long (ms) is gone, or waits for a dependency that is reported itself. */
const goneMs = 300_000;
/** Entries that nobody has touched for so long (ms) are removed. */
const forgottenMs = 86_400_000;

/** Creates the list of work that keeps failing, by job name and payload. */
export function createFailingJobs(redis: Redis, now: () => number, logger?: ErrorLogger) {
  const key = failingJobsKey;
  const stored = createStoredHash(redis, { codec: failingJobCodec, field: z.string() }, logger);
  const fieldOf = (name: string, payload: unknown) => `${name} ${JSON.stringify(payload)}`;

  return {
    /**
     * Records a failure. Resolves to how often this work has failed, or to undefined when another job tries it again: then
     * this one need not.
     */
    async record(job: string, name: string, payload: unknown, reason: string): Promise<number | undefined> {
      const at = now();
      let times: number | undefined;
      await stored.update(key, fieldOf(name, payload), (before) => {
        const isOther = before !== undefined && before.job !== job && at - before.at < goneMs;
        times = isOther ? undefined : (before?.times ?? 0) + 1;
        if (times === undefined) return before;
        return { job, name, payload, since: before?.since ?? at, at, times, reason };
      });
      return times;
    },

    async remove(name: string, payload: unknown): Promise<void> {
      await redis.hdel(key, fieldOf(name, payload));
    },

    /** Returns what has failed at least so often and lately. */
    async list(atLeast: number): Promise<FailingJob[]> {
      const found: FailingJob[] = [];
      for (const [field, job] of await stored.all(key)) {
        if (job.at < now() - forgottenMs) await redis.hdel(key, field);
        else if (job.times >= atLeast && job.at > now() - goneMs) found.push(job);
      }
      return found.sort((a, b) => b.at - a.at);
    },
  };
}
