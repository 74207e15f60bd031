import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Reads of the same thing that were not complete, one after the other. Times are milliseconds since 1970. */
const IncompleteRead = z
  .object({
    since: z.number(),
    times: z.number(),
    /** How many of them, up to the latest, had something wrong in them; the others were only behind another source. */
    wrong: z.number(),
    /** When it is read again at the latest. */
    nextAt: z.number(),
    /** The counts in the list of campaigns at the latest one. */
    listed: z.string(),
    /** What the latest one had instead, and since when that and `listed` are what they are. */
    read: z.string(),
    sameSince: z.number(),
    /** Whether people were told. */
    notified: z.boolean(),
  })
  .readonly();
export type IncompleteRead = z.infer<typeof IncompleteRead>;

export const incompleteReadCodec = createCodec('incomplete-read', IncompleteRead);

export type IncompleteReads = ReturnType<typeof createIncompleteReads>;

/** Creates the store of reads that were not complete: of the results of a campaign, by its id, and of lists, by name. */
export function createIncompleteReads(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: incompleteReadCodec, field: z.string() }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'incomplete-reads');
  return {
    all: (ref: AccountRef): Promise<Map<string, IncompleteRead>> => stored.all(key(ref)),
    get: (ref: AccountRef, what: string): Promise<IncompleteRead | undefined> => stored.get(key(ref), what),

    /** Returns whether every list and all results were read completely the last time. */
    isEmpty: async (ref: AccountRef): Promise<boolean> => (await redis.hlen(key(ref))) === 0,

    /**
     * Takes up what a channel shows: people were told of reads that were not complete since then (ms), which Redis has
     * lost. What was read is read again at the next poll.
     */
    async restore(ref: AccountRef, what: string, since: number): Promise<void> {
      const unknown = { since, times: 1, wrong: 1, nextAt: since, listed: '', read: '', sameSince: since };
      await stored.update(key(ref), what, (before) => ({ ...(before ?? unknown), notified: true }));
    },

    /** Changes what is known of the reads of one thing; undefined ends it. Resolves to what was known before. */
    update: (
      ref: AccountRef,
      what: string,
      change: (before: IncompleteRead | undefined) => IncompleteRead | undefined,
    ): Promise<IncompleteRead | undefined> => stored.update(key(ref), what, change),
  };
}
