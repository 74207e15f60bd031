import type { Redis } from 'ioredis';
import { applySummaryEvent, BacklogSummary, type SummaryEvent } from '../domain/backlog-summary.ts';
import { isShown } from '../domain/live-message.ts';
import type { AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const backlogSummaryCodec = createCodec('backlog-summary', BacklogSummary);

const group = 'counts';

export type BacklogSummaries = ReturnType<typeof createBacklogSummaries>;

/** The summaries of tasks without a card: one record per account and channel. */
export function createBacklogSummaries(redis: Redis, logger?: ErrorLogger) {
  const records = createRecords<BacklogSummary, never>(
    redis,
    {
      name: 'backlog-message',
      codec: backlogSummaryCodec,
      indexes: [],
      scores: () => ({}),
      digest: ({ count }) => ({ group, text: String(count) }),
      groups: async () => [group],
    },
    logger,
  );

  return {
    /** Applies an event to a channel's summary. Returns it as it is then, and whether anything changed. */
    async apply(
      ref: AccountRef,
      channel: ChannelId,
      event: SummaryEvent,
    ): Promise<{ record: BacklogSummary | undefined; changed: boolean }> {
      for (;;) {
        const { version, value } = await records.load(ref, channel);
        const after = applySummaryEvent(value, event);
        if (after === undefined) return { record: value, changed: false };
        const needsRender = after.revision !== value?.revision && isShown(after);
        if (await records.commit(ref, channel, version, { value: after, needsRender }))
          return { record: after, changed: true };
      }
    },

    async get(ref: AccountRef, channel: ChannelId): Promise<BacklogSummary | undefined> {
      return (await records.load(ref, channel)).value;
    },

    find: records.find,
    needsRender: records.needsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
