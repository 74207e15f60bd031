import type { Redis } from 'ioredis';
import { isShown } from '../domain/live-message.ts';
import {
  applyQueueMessageEvent,
  QueueMessage,
  type QueueMessageEvent,
  QueueMessageId,
} from '../domain/queue-message.ts';
import type { AccountRef } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const queueMessageCodec = createCodec('queue-message', QueueMessage);

const group = 'states';

export type QueueMessages = ReturnType<typeof createQueueMessages>;

/** Creates the store of live messages of what waits: one record per account, channel and campaign. */
export function createQueueMessages(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<QueueMessage, 'shown', QueueMessageId>(
    redis,
    {
      name: 'queue-message',
      codec: queueMessageCodec,
      id: QueueMessageId,
      indexes: ['shown'],
      scores: (message) => ({ shown: isShown(message) ? message.changedAt : undefined }),
      digest: ({ state }) => ({ group, text: state }),
      groups: async () => [group],
    },
    logger,
    now,
  );

  return {
    /** Applies an event to a message. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      id: QueueMessageId,
      event: QueueMessageEvent,
    ): Promise<{ record: QueueMessage | undefined; changed: boolean }> {
      for (;;) {
        const { version, value: before } = await records.load(ref, id);
        const record = applyQueueMessageEvent(before, event);
        if (record === undefined) return { record: before, changed: false };
        const needsRender = isShown(record) && record.revision !== before?.revision;
        if (await records.commit(ref, id, version, { value: record, needsRender }))
          return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, id: QueueMessageId) => (await records.load(ref, id)).value,

    /** Returns the messages that stand somewhere, or are about to. */
    async shown(ref: AccountRef): Promise<QueueMessage[]> {
      const ids = await records.find(ref, 'shown', { limit: 100_000 });
      return (await records.loadMany(ref, ids)).flatMap(({ value }) => (value === undefined ? [] : [value]));
    },

    find: records.find,
    needsRender: records.needsRender,
    clearNeedsRender: records.clearNeedsRender,
    markNeedsRender: records.markNeedsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
