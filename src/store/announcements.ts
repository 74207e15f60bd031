import type { Redis } from 'ioredis';
import { Announcement, type AnnouncementEvent, applyAnnouncementEvent } from '../domain/announcement.ts';
import { isShown } from '../domain/live-message.ts';
import { type AccountRef, MessageId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const announcementCodec = createCodec('announcement', Announcement);

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

  const firstReadKey = (ref: AccountRef) => accountKey(ref, 'announcements', 'first-read');

  return {
    /**
     * Applies an event to a message's record. Returns the current record, and whether anything changed.
     * @param step an audit entry that is added with the change, if there is one
     */
    async apply(
      ref: AccountRef,
      id: MessageId,
      event: AnnouncementEvent,
      step?: AuditStep,
    ): Promise<{ record: Announcement | undefined; changed: boolean }> {
      for (;;) {
        const { version, value } = await records.load(ref, id);
        const after = applyAnnouncementEvent(value, event);
        if (after === undefined) return { record: value, changed: false };
        const needsRender = after.revision !== value?.revision && isShown(after);
        const audited = step === undefined ? {} : { audit: step.text };
        if (!(await records.commit(ref, id, version, { value: after, needsRender, ...audited }))) continue;
        step?.stored();
        return { record: after, changed: true };
      }
    },

    async get(ref: AccountRef, id: MessageId): Promise<Announcement | undefined> {
      return (await records.load(ref, id)).value;
    },

    /** Returns whether the whole inbox was read before, even if it was empty. */
    async wasRead(ref: AccountRef): Promise<boolean> {
      return (await redis.exists(firstReadKey(ref))) === 1;
    },

    /** Records that the whole inbox was read. */
    async recordRead(ref: AccountRef): Promise<void> {
      await redis.set(firstReadKey(ref), '1');
    },

    /** Returns the known state of every message: `unread`, `read` or `trashed`. */
    async known(ref: AccountRef): Promise<Map<MessageId, string>> {
      return records.digest(ref, group);
    },

    /** Returns how many messages were unread at the last poll. */
    async unreadCount(ref: AccountRef): Promise<number> {
      const states = await records.digest(ref, group);
      return [...states.values()].filter((state) => state === 'unread').length;
    },

    find: records.find,
    needsRender: records.needsRender,
    markNeedsRender: records.markNeedsRender,
    clearNeedsRender: records.clearNeedsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
