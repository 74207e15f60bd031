import type { Redis } from 'ioredis';
import { applyDailySummaryEvent, DailySummary, type DailySummaryEvent } from '../domain/daily-summary.ts';
import { isShown } from '../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const dailySummaryCodec = createCodec('daily-summary', DailySummary);

const group = 'days';

export type DailySummaries = ReturnType<typeof createDailySummaries>;

/** Creates the store of daily summaries: one record per account and channel, the latest day's. */
export function createDailySummaries(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<DailySummary, never, ChannelId>(
    redis,
    {
      name: 'reviewed-day',
      codec: dailySummaryCodec,
      id: ChannelId,
      indexes: [],
      scores: () => ({}),
      digest: ({ day }) => ({ group, text: day }),
      groups: async () => [group],
    },
    logger,
    now,
  );

  return {
    /** Applies an event to a channel's summary. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      channel: ChannelId,
      event: DailySummaryEvent,
    ): Promise<{ record: DailySummary | undefined; changed: boolean }> {
      for (;;) {
        const { version, value: before } = await records.load(ref, channel);
        const record = applyDailySummaryEvent(before, event);
        if (record === undefined) return { record: before, changed: false };
        const needsRender = isShown(record) && event.type === 'due';
        if (!(await records.commit(ref, channel, version, { value: record, needsRender }))) continue;
        // There is nothing that it could be made to show.
        if (record.content === undefined) await records.clearNeedsRender(ref, channel);
        return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, channel: ChannelId) => (await records.load(ref, channel)).value,

    /** Returns the records of several channels, in the order asked for. */
    async getMany(ref: AccountRef, channels: readonly ChannelId[]): Promise<(DailySummary | undefined)[]> {
      return (await records.loadMany(ref, channels)).map(({ value }) => value);
    },

    find: records.find,
    needsRender: records.needsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
