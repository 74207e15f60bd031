import type { Redis } from 'ioredis';
import { z } from 'zod';
import { applySummaryEvent, BacklogSummary, type SummaryEvent } from '../domain/backlog-summary.ts';
import { isShown } from '../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createRecords, type Versioned } from './records.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A summary as it was stored in version 1: `ts` is empty while its first post is under way. */
const LegacySummary = z.object({
  channel: z.string(),
  ts: z.string(),
  count: z.number(),
  begunAt: z.number().default(0),
});

export const backlogSummaryCodec = createCodec('backlog-summary', BacklogSummary, [
  {
    name: 'place of a summary becomes a record',
    migrate(old) {
      const { channel, ts, count, begunAt } = LegacySummary.parse(old);
      const attempt = { channel, at: begunAt };
      const card = ts === '' ? { state: 'wanted', attempt } : { state: 'posted', channel, ts };
      return { channel, card, count, total: 0, revision: 1 };
    },
  },
]);

const group = 'counts';

export type BacklogSummaries = ReturnType<typeof createBacklogSummaries>;

/** Creates the store of summaries of tasks without a card: one record per account and channel. */
export function createBacklogSummaries(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<BacklogSummary, never, ChannelId>(
    redis,
    {
      name: 'backlog-message',
      codec: backlogSummaryCodec,
      id: ChannelId,
      indexes: [],
      scores: () => ({}),
      digest: ({ count }) => ({ group, text: String(count) }),
      groups: async () => [group],
    },
    logger,
    now,
  );

  const legacySummaries = createStoredHash(redis, { codec: backlogSummaryCodec, field: ChannelId }, logger);

  /** Loads a record; one that was never written may stand in the hash of version 1. */
  async function load(ref: AccountRef, channel: ChannelId): Promise<Versioned<BacklogSummary>> {
    const { version, value } = await records.load(ref, channel);
    const isNew = value === undefined && version === 0;
    return {
      version,
      value: isNew ? await legacySummaries.get(accountKey(ref, 'backlog-notices'), channel) : value,
    };
  }

  return {
    /** Applies an event to a channel's summary. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      channel: ChannelId,
      event: SummaryEvent,
    ): Promise<{ record: BacklogSummary | undefined; changed: boolean }> {
      for (;;) {
        const { version, value } = await load(ref, channel);
        const after = applySummaryEvent(value, event);
        if (after === undefined) return { record: value, changed: false };
        const needsRender = after.revision !== value?.revision && isShown(after);
        if (await records.commit(ref, channel, version, { value: after, needsRender }))
          return { record: after, changed: true };
      }
    },

    async get(ref: AccountRef, channel: ChannelId): Promise<BacklogSummary | undefined> {
      return (await load(ref, channel)).value;
    },

    find: records.find,
    needsRender: records.needsRender,
    markNeedsRender: records.markNeedsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
