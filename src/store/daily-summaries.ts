import type { Redis } from 'ioredis';
import { applyDailySummaryEvent, DailySummary, type DailySummaryEvent } from '../domain/daily-summary.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createMirroredRecords } from './mirrored-records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const dailySummaryCodec = createCodec('daily-summary', DailySummary);

export type DailySummaries = ReturnType<typeof createDailySummaries>;

/** Creates the store of daily summaries: one record per account and channel, the latest day's. */
export function createDailySummaries(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createMirroredRecords(
    redis,
    {
      name: 'reviewed-day',
      codec: dailySummaryCodec,
      id: ChannelId,
      indexes: [],
      scores: () => ({}),
      digest: ({ day }) => day,
      group: 'days',
      after: applyDailySummaryEvent,
      needsRender: (_, { type }) => type === 'due',
    },
    logger,
    now,
  );
  return {
    ...records,
    /** Applies an event to a channel's summary. Returns the current summary, and whether anything changed. */
    async apply(ref: AccountRef, channel: ChannelId, event: DailySummaryEvent) {
      const applied = await records.apply(ref, channel, event);
      // There is no content to render.
      if (applied.changed && applied.record?.content === undefined)
        await records.clearNeedsRender(ref, channel);
      return applied;
    },
  };
}
