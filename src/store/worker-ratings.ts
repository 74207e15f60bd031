import type { Redis } from 'ioredis';
import { keyOf, ratingLetters } from '../domain/index-changes.ts';
import { type AccountRef, verdicts, type WorkerId } from '../domain/terms.ts';
import type { GivenRating } from '../domain/worker-history.ts';
import { accountKey } from './keys.ts';

/** Returns the latest ratings of a worker's tasks, oldest first. */
export async function readWorkerRatings(
  redis: Redis,
  ref: AccountRef,
  worker: WorkerId,
): Promise<GivenRating[]> {
  const texts = await redis.lrange(accountKey(ref, keyOf.workerRatings(worker)), 0, -1);
  return texts.reverse().flatMap((text) => {
    const verdict = verdicts.find((one) => ratingLetters[one] === text.charAt(0));
    if (verdict === undefined) return [];
    return [{ verdict, ...(text.charAt(1) === ':' ? { reason: text.slice(2) } : {}) }];
  });
}
