import type { Redis } from 'ioredis';
import { applyQueueMessageEvent, QueueMessage, QueueMessageId } from '../domain/queue-message.ts';
import type { AccountRef } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createMirroredRecords, shownScore } from './mirrored-records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const queueMessageCodec = createCodec('queue-message', QueueMessage);

export type QueueMessages = ReturnType<typeof createQueueMessages>;

/** Creates the store of live messages about waiting tasks: one record per account, channel and campaign. */
export function createQueueMessages(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createMirroredRecords(
    redis,
    {
      name: 'queue-message',
      codec: queueMessageCodec,
      id: QueueMessageId,
      indexes: ['shown'],
      scores: shownScore,
      digest: ({ state }) => state,
      after: applyQueueMessageEvent,
    },
    logger,
    now,
  );
  return {
    ...records,
    /** Returns the messages that are posted, or about to be. */
    async shown(ref: AccountRef): Promise<QueueMessage[]> {
      const ids = await records.find(ref, 'shown', { limit: 100_000 });
      return (await records.getMany(ref, ids)).filter((message) => message !== undefined);
    },
  };
}
