import type { Redis } from 'ioredis';
import { applyBulkEvent, BulkRating, type BulkRatingEvent, BulkRatingId } from '../domain/bulk-rating.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const bulkRatingCodec = createCodec('bulk-rating', BulkRating);

const group = 'states';

/** KEYS: record, digests, then the sorted sets. ARGV: id. */
const removeScript = `
redis.call('DEL', KEYS[1])
redis.call('HDEL', KEYS[2], ARGV[1])
for i = 3, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end`;

export type BulkRatings = ReturnType<typeof createBulkRatings>;

/** Creates the store of bulk ratings: what was confirmed, and what became of each task. */
export function createBulkRatings(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<BulkRating, 'active' | 'ended', BulkRatingId>(
    redis,
    {
      name: 'bulk-rating',
      codec: bulkRatingCodec,
      id: BulkRatingId,
      indexes: ['active', 'ended'],
      scores: ({ state, changedAt }) => ({
        active: state === 'done' ? undefined : changedAt,
        ended: state === 'done' ? changedAt : undefined,
      }),
      digest: ({ state }) => ({ group, text: state }),
      groups: async () => [group],
    },
    logger,
    now,
  );
  const key = (ref: AccountRef, ...rest: string[]) => accountKey(ref, 'bulk-ratings', ...rest);

  return {
    /**
     * Applies an event to a bulk rating. Returns it as it is now, and whether anything changed.
     * @param step an entry of the audit that is added with the change
     */
    async apply(
      ref: AccountRef,
      id: BulkRatingId,
      event: BulkRatingEvent,
      step?: AuditStep,
    ): Promise<{ record: BulkRating | undefined; changed: boolean }> {
      for (;;) {
        const { version, value: before } = await records.load(ref, id);
        const record = applyBulkEvent(before, event);
        if (record === undefined) return { record: before, changed: false };
        const needsRender = record.revision !== before?.revision;
        const audited = step === undefined ? {} : { audit: step.text };
        if (!(await records.commit(ref, id, version, { value: record, needsRender, ...audited }))) continue;
        step?.stored();
        return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, id: BulkRatingId) => (await records.load(ref, id)).value,

    /** Returns those that are not done. */
    active: (ref: AccountRef): Promise<BulkRatingId[]> => records.find(ref, 'active'),

    /** Removes those that were done before a moment (ms). */
    async removeEnded(ref: AccountRef, before: number): Promise<void> {
      const sets = ['active', 'ended', 'stale'].map((set) => key(ref, set));
      for (const id of await records.find(ref, 'ended', { until: before }))
        await redis.eval(
          removeScript,
          5,
          accountKey(ref, 'bulk-rating', id),
          key(ref, `digest:${group}`),
          ...sets,
          id,
        );
    },

    find: records.find,
    needsRender: records.needsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
