import type { Redis } from 'ioredis';
import { applyReminderEvent, Reminder } from '../domain/reminder.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createMirroredRecords, shownScore } from './mirrored-records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const reminderCodec = createCodec('reminder', Reminder);

export type Reminders = ReturnType<typeof createReminders>;

/** Creates the store of reminders of tasks that are due soon: one record per account and channel. */
export function createReminders(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createMirroredRecords(
    redis,
    {
      name: 'reminder',
      codec: reminderCodec,
      id: ChannelId,
      indexes: ['shown'],
      scores: shownScore,
      digest: ({ state }) => state,
      after: applyReminderEvent,
    },
    logger,
    now,
  );
  return {
    ...records,
    /** Returns the channels in which a reminder is posted, or about to be. */
    shown: (ref: AccountRef): Promise<ChannelId[]> => records.find(ref, 'shown'),
  };
}
