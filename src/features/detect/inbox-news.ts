import { isShown } from '../../domain/live-message.ts';
import type { AccountRef, MessageId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { MessageSummary } from '../../marketplace/index.ts';
import type { Announcements } from '../../store/announcements.ts';

/** At an account's first look, so many of the newest unread messages are announced; the others are known only. */
const firstAnnounced = 5;

export type Inbox = ReturnType<typeof createInboxNews>;

/** Finds what is new in an account's inbox. */
export function createInboxNews({ announcements, jobs }: { announcements: Announcements; jobs: Jobs }) {
  return {
    /** Takes in the INBOX folder as a look saw it: new messages, and those read or trashed elsewhere. */
    async take(ref: AccountRef, messages: readonly MessageSummary[]): Promise<void> {
      const known = await announcements.known(ref);
      const toldOnFirst = new Set(
        [...messages]
          .filter(({ unread }) => unread)
          .sort((a, b) => (b.sentAt?.getTime() ?? 0) - (a.sentAt?.getTime() ?? 0))
          .slice(0, firstAnnounced)
          .map(({ id }) => id),
      );
      const oldestFirst = [...messages].sort(
        (a, b) => (a.sentAt?.getTime() ?? 0) - (b.sentAt?.getTime() ?? 0),
      );
      for (const message of oldestFirst) {
        if (known.get(message.id) === (message.unread ? 'unread' : 'read')) continue;
        const { id, subject, unread, hasAttachment, type: messageType, sentAt } = message;
        const about = { id, subject, unread, hasAttachment, messageType };
        await apply(ref, id, {
          type: 'listed',
          message: sentAt ? { ...about, sentAt: sentAt.getTime() } : about,
          announce: unread && (known.size > 0 || toldOnFirst.has(id)),
        });
      }
      const listed = new Set(messages.map(({ id }) => id));
      for (const [id, state] of known) {
        if (state !== 'trashed' && !listed.has(id)) await apply(ref, id, { type: 'left' });
      }
    },

    /** Announcements that a lost job left undone. */
    async mend(ref: AccountRef, before: number, givenUp: ReadonlySet<string | undefined>): Promise<void> {
      for (const message of await announcements.find(ref, 'stale', { until: before })) {
        if (givenUp.has(message)) continue;
        await jobs.add('announce', { ...ref, message }, { once: `${ref.account} ${message}` });
      }
    },
  };

  async function apply(
    ref: AccountRef,
    id: MessageId,
    event: Parameters<Announcements['apply']>[2],
  ): Promise<void> {
    const { record, changed } = await announcements.apply(ref, id, event);
    if (changed && record && isShown(record)) await jobs.add('announce', { ...ref, message: id });
  }
}
