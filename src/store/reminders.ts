import type { Redis } from 'ioredis';
import { isShown } from '../domain/live-message.ts';
import { applyReminderEvent, Reminder, type ReminderEvent } from '../domain/reminder.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const reminderCodec = createCodec('reminder', Reminder);

const group = 'states';

export type Reminders = ReturnType<typeof createReminders>;

/** Creates the store of reminders of what runs out soon: one record per account and channel. */
export function createReminders(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<Reminder, 'shown', ChannelId>(
    redis,
    {
      name: 'reminder',
      codec: reminderCodec,
      id: ChannelId,
      indexes: ['shown'],
      scores: (reminder) => ({ shown: isShown(reminder) ? reminder.changedAt : undefined }),
      digest: ({ state }) => ({ group, text: state }),
      groups: async () => [group],
    },
    logger,
    now,
  );

  return {
    /** Applies an event to a channel's reminder. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      channel: ChannelId,
      event: ReminderEvent,
    ): Promise<{ record: Reminder | undefined; changed: boolean }> {
      for (;;) {
        const { version, value: before } = await records.load(ref, channel);
        const record = applyReminderEvent(before, event);
        if (record === undefined) return { record: before, changed: false };
        const needsRender = isShown(record) && record.revision !== before?.revision;
        const isStored = await records.commit(ref, channel, version, { value: record, needsRender });
        if (isStored) return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, channel: ChannelId) => (await records.load(ref, channel)).value,

    /** Returns the channels in which a reminder stands, or is about to. */
    shown: (ref: AccountRef): Promise<ChannelId[]> => records.find(ref, 'shown'),

    find: records.find,
    needsRender: records.needsRender,
    clearNeedsRender: records.clearNeedsRender,
    markNeedsRender: records.markNeedsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
