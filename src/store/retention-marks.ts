import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/**
 * The result of the last search for old data in a campaign (or the inbox): its state at that time, and when the oldest data
 * that had to stay were decided (ms); absent when there are none.
 */
const RetentionMark = z.object({ state: z.string(), oldest: z.number().exactOptional() }).readonly();
export type RetentionMark = z.infer<typeof RetentionMark>;

export const retentionMarkCodec = createCodec('retention-mark', RetentionMark);

export type RetentionMarks = ReturnType<typeof createRetentionMarks>;

/** Creates the store of searches for old data, so that nothing is searched needlessly. */
export function createRetentionMarks(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: retentionMarkCodec, field: z.string() }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'retention');

  return {
    /** Returns the marks of an account by the campaign's id, or `inbox`. */
    all: (ref: AccountRef): Promise<Map<string, RetentionMark>> => stored.all(key(ref)),

    async put(ref: AccountRef, name: string, mark: RetentionMark): Promise<void> {
      await stored.set(key(ref), name, mark);
    },
  };
}
