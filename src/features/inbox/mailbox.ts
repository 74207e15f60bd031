import type { AccountRef, MemberId, MessageId } from '../../domain/terms.ts';
import { MarketplaceError, type Message } from '../../marketplace/index.ts';
import type { Announcements } from '../../store/announcements.ts';
import type { FeatureContext } from '../shared/context.ts';

export type Mailbox = ReturnType<typeof createMailbox>;

/** Creates what reads and trashes messages, and updates their announcements in channels accordingly. */
export function createMailbox(deps: Pick<FeatureContext, 'announcements' | 'jobs' | 'marketplaceOf'>) {
  async function updateAnnouncement(
    ref: AccountRef,
    id: MessageId,
    event: Parameters<Announcements['apply']>[2],
  ): Promise<void> {
    const outcome = await deps.announcements.apply(ref, id, event);
    if (outcome.changed) await deps.jobs.add('announce', { ...ref, message: id });
  }

  /** Makes a call about a message. When the marketplace no longer knows the message, its announcement says so. */
  async function callFor<T>(ref: AccountRef, id: MessageId, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === 'NO_SUCH_MESSAGE') {
        await updateAnnouncement(ref, id, { type: 'left' });
      }
      throw error;
    }
  }

  return {
    /** Loads a message and records it as read here. Throws what the call throws. */
    read: (ref: AccountRef, id: MessageId, by: MemberId): Promise<Message> =>
      callFor(ref, id, async () => {
        const message = await (await deps.marketplaceOf(ref)).readMessage(id);
        await updateAnnouncement(ref, id, { type: 'read', by });
        return message;
      }),

    /** Moves a message to the trash. Throws what the call throws. */
    trash: (ref: AccountRef, id: MessageId, by: MemberId): Promise<void> =>
      callFor(ref, id, async () => {
        await (await deps.marketplaceOf(ref)).deleteMessage(id);
        await updateAnnouncement(ref, id, { type: 'trashed', by });
      }),
  };
}
