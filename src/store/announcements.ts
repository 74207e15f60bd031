import type { Redis } from 'ioredis';
import { Announcement, type AnnouncementEvent, applyAnnouncementEvent } from '../domain/announcement.ts';
import { isShown } from '../domain/live-message.ts';
import { type AccountRef, MessageId } from '../domain/terms.ts';
import { createCodec, renameFields } from './codec.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const announcementCodec = createCodec('announcement', Announcement, [
  renameFields('face becomes revision', { face: 'revision' }),
]);

const group = 'inbox';

export type Announcements = ReturnType<typeof createAnnouncements>;

/** Creates the store of inbox messages and their announcements. */
export function createAnnouncements(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<Announcement, never, MessageId>(
    redis,
    {
      name: 'announcement',
      codec: announcementCodec,
      id: MessageId,
      indexes: [],
      scores: () => ({}),
      digest: ({ unread, trashed }) => ({ group, text: trashed ? 'trashed' : unread ? 'unread' : 'read' }),
      groups: async () => [group],
    },
    logger,
    now,
  );

  return {
    /** Applies an event to a message's record. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      id: MessageId,
      event: AnnouncementEvent,
    ): Promise<{ record: Announcement | undefined; changed: boolean }> {
      for (;;) {
        const { version, value } = await records.load(ref, id);
        const after = applyAnnouncementEvent(value, event);
        if (after === undefined) return { record: value, changed: false };
        const needsRender = after.revision !== value?.revision && isShown(after);
        if (await records.commit(ref, id, version, { value: after, needsRender }))
          return { record: after, changed: true };
      }
    },

    async get(ref: AccountRef, id: MessageId): Promise<Announcement | undefined> {
      return (await records.load(ref, id)).value;
    },

    /** Returns the known state of every message: `unread`, `read` or `trashed`. */
    async known(ref: AccountRef): Promise<Map<MessageId, string>> {
      return records.digest(ref, group);
    },

    find: records.find,
    needsRender: records.needsRender,
    clearNeedsRender: records.clearNeedsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
