import { type FoundMessage, isShown, placesOf } from '../../domain/live-message.ts';
import type { AccountRef, MessageId } from '../../domain/terms.ts';
import type { MessageSummary } from '../../marketplace/index.ts';
import type { Announcements } from '../../store/announcements.ts';
import type { FeatureContext } from '../shared/context.ts';
import { retireFormer } from '../shared/former-places.ts';

/** On an account's first poll, only the newest unread messages are announced; the others are only recorded. */
const firstAnnounced = 5;

export type InboxImport = ReturnType<typeof createInboxImport>;

/** Creates the import of an account's inbox. */
export function createInboxImport({
  announcements,
  jobs,
  routing,
}: Pick<FeatureContext, 'announcements' | 'jobs' | 'routing'>) {
  async function apply(
    ref: AccountRef,
    id: MessageId,
    event: Parameters<Announcements['apply']>[2],
    found?: FoundMessage,
  ): Promise<void> {
    const { record, changed } = await announcements.apply(ref, id, event);
    if (found) {
      // Already announced; Redis had lost that.
      for (const messageRef of placesOf(found))
        await announcements.apply(ref, id, { type: 'posted', messageRef });
      await retireFormer({ jobs }, ref, found.former ?? []);
      await announcements.removeFound(ref, id);
    }
    if (changed && record && isShown(record)) await jobs.add('announce', { ...ref, message: id });
  }

  return {
    /**
     * Imports the INBOX folder as listed by a poll: new messages, and those read or trashed on the website.
     * @param isComplete whether unlisted messages are gone
     */
    async importMessages(
      ref: AccountRef,
      messages: readonly MessageSummary[],
      isComplete: boolean,
    ): Promise<void> {
      const known = await announcements.known(ref);
      // Messages that arrive while no channel receives the inbox are available in /inbox, and are not announced later.
      const hasChannel = (await routing.forInbox(ref)) !== undefined;
      const found = await announcements.found(ref);
      const isFirst = known.size === 0 && !(await announcements.wasRead(ref));
      const oldestFirst = [...messages].sort(
        (a, b) => (a.sentAt?.getTime() ?? 0) - (b.sentAt?.getTime() ?? 0),
      );
      const announcedAtFirst = new Set(
        oldestFirst
          .filter(({ unread }) => unread)
          .slice(-firstAnnounced)
          .map(({ id }) => id),
      );
      for (const message of oldestFirst) {
        if (known.get(message.id) === (message.unread ? 'unread' : 'read')) continue;
        const { id, subject, unread, hasAttachment, type: messageType, sentAt } = message;
        const listed = { id, subject, unread, hasAttachment, messageType };
        const announced = found.get(id);
        const event = {
          type: 'listed',
          message: sentAt ? { ...listed, sentAt: sentAt.getTime() } : listed,
          announce:
            announced !== undefined || (hasChannel && unread && (!isFirst || announcedAtFirst.has(id))),
        } as const;
        await apply(ref, id, event, announced);
      }
      if (!isComplete) return;
      if (isFirst) await announcements.recordRead(ref);
      const listed = new Set(messages.map(({ id }) => id));
      for (const [id, state] of known) {
        if (state !== 'trashed' && !listed.has(id)) await apply(ref, id, { type: 'left' });
      }
    },
  };
}
