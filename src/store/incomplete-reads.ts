import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Consecutive incomplete reads of the same thing. Times are milliseconds since 1970. */
const IncompleteRead = z
  .object({
    since: z.number(),
    times: z.number(),
    /** How many of them, up to the latest, contained an error; the others only lagged behind another source. */
    wrong: z.number(),
    /** The latest time of the next read. */
    nextAt: z.number(),
    /** The counts in the list of campaigns at the latest read. */
    listed: z.string(),
    /** The counts of the latest read instead, and since when these and `listed` are unchanged. */
    read: z.string(),
    sameSince: z.number(),
    /** Whether people were told. */
    notified: z.boolean(),
  })
  .readonly();
export type IncompleteRead = z.infer<typeof IncompleteRead>;

export const incompleteReadCodec = createCodec('incomplete-read', IncompleteRead);

export type IncompleteReads = ReturnType<typeof createIncompleteReads>;

/** Creates the store of incomplete reads: of the results of a campaign, by its id, and of lists, by name. */
export function createIncompleteReads(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: incompleteReadCodec, field: z.string() }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'incomplete-reads');
  return {
    all: (ref: AccountRef): Promise<Map<string, IncompleteRead>> => stored.all(key(ref)),
    get: (ref: AccountRef, what: string): Promise<IncompleteRead | undefined> => stored.get(key(ref), what),

    /** Returns whether the last read of every list and of all results was complete. */
    isEmpty: async (ref: AccountRef): Promise<boolean> => (await redis.hlen(key(ref))) === 0,

    /** Changes the state of the reads of one thing; undefined ends it. Resolves to the previous state. */
    update: (
      ref: AccountRef,
      what: string,
      change: (before: IncompleteRead | undefined) => IncompleteRead | undefined,
    ): Promise<IncompleteRead | undefined> => stored.update(key(ref), what, change),
  };
}
