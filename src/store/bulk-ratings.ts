import type { Redis } from 'ioredis';
import { applyBulkEvent, BulkRating, BulkRatingId } from '../domain/bulk-rating.ts';
import type { AccountRef } from '../domain/terms.ts';
import { change } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createMirroredRecords } from './mirrored-records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const bulkRatingCodec = createCodec('bulk-rating', BulkRating);

const group = 'states';

export type BulkRatings = ReturnType<typeof createBulkRatings>;

/** Creates the store of bulk ratings: what was confirmed, and the result for each task. */
export function createBulkRatings(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createMirroredRecords(
    redis,
    {
      name: 'bulk-rating',
      codec: bulkRatingCodec,
      id: BulkRatingId,
      indexes: ['active', 'ended'],
      scores: ({ state, changedAt }: BulkRating) => ({
        active: state === 'done' ? undefined : changedAt,
        ended: state === 'done' ? changedAt : undefined,
      }),
      digest: ({ state }) => state,
      group,
      after: applyBulkEvent,
    },
    logger,
    now,
  );
  const key = (ref: AccountRef, ...rest: string[]) => accountKey(ref, 'bulk-ratings', ...rest);

  return {
    ...records,

    /** Returns the unfinished ones. */
    active: (ref: AccountRef): Promise<BulkRatingId[]> => records.find(ref, 'active'),

    /** Removes the ones that finished before a time (ms). */
    async removeEnded(ref: AccountRef, before: number): Promise<void> {
      const sets = ['active', 'ended', 'needs-render'].map((set) => key(ref, set));
      for (const id of await records.find(ref, 'ended', { until: before }))
        await change(
          redis,
          undefined,
          ['DEL', accountKey(ref, 'bulk-rating', id)],
          ['HDEL', key(ref, `digest:${group}`), id],
          ...sets.map((set) => ['ZREM', set, id] as const),
        );
    },
  };
}
