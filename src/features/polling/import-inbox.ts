import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { MessageSummary } from '../../marketplace/index.ts';

/** On an account's first poll, only the newest unread messages are announced; the others are only recorded. */
const firstAnnounced = 5;

/** Creates the import of an account's inbox. */
export function createInboxImport({ slack, channels }: Modules) {
  /**
   * Imports new messages, and those read on the website. @param listed the whole INBOX
   * @param isFirst whether no poll has read the inbox yet
   */
  async function importChanged(
    ref: AccountRef,
    listed: readonly MessageSummary[],
    isChanged: (message: MessageSummary) => boolean,
    isFirst: boolean,
  ): Promise<void> {
    // Messages that arrive while no channel receives the inbox are available in /inbox, and are not announced later.
    const channel = await channels.routing.forInbox(ref);
    const oldestFirst = [...listed].sort((a, b) => (a.sentAt?.getTime() ?? 0) - (b.sentAt?.getTime() ?? 0));
    const newest = oldestFirst.filter(({ unread }) => unread).slice(-firstAnnounced);
    const isWanted = (message: MessageSummary) =>
      channel !== undefined && message.unread && (!isFirst || newest.includes(message));
    for (const message of oldestFirst.filter(isChanged)) {
      const { id, subject, unread, hasAttachment, type: messageType, sentAt } = message;
      const known = { id, subject, unread, hasAttachment, messageType };
      const event = {
        type: 'listed',
        message: sentAt ? { ...known, sentAt: sentAt.getTime() } : known,
        announce: isWanted(message),
      } as const;
      await slack.announcements.apply(ref, id, event);
    }
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
      const [known, wasRead] = await Promise.all([
        slack.announcements.known(ref),
        slack.announcements.wasRead(ref),
      ]);
      const isFirst = known.size === 0 && !wasRead;
      const isChanged = ({ id, unread }: MessageSummary) => known.get(id) !== (unread ? 'unread' : 'read');
      if (messages.some(isChanged)) await importChanged(ref, messages, isChanged, isFirst);
      if (!isComplete) return;
      if (isFirst) await slack.announcements.recordRead(ref);
      const listed = new Set(messages.map(({ id }) => id));
      for (const [id, state] of known) {
        if (state !== 'trashed' && !listed.has(id))
          await slack.announcements.apply(ref, id, { type: 'left' });
      }
    },
  };
}
