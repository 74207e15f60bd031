import type { AccountRef, MemberId, MessageId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type MarketplaceClient, MarketplaceError, type Message } from '../../marketplace/index.ts';
import type { Announcements } from '../../store/announcements.ts';

export type Mailbox = ReturnType<typeof createMailbox>;

/** Reads and trashes messages; whatever is announced in a channel is kept in step. */
export function createMailbox(deps: {
  readonly announcements: Announcements;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
}) {
  async function changed(
    ref: AccountRef,
    id: MessageId,
    event: Parameters<Announcements['apply']>[2],
  ): Promise<void> {
    const outcome = await deps.announcements.apply(ref, id, event);
    if (outcome.changed) await deps.jobs.add('announce', { ...ref, message: id });
  }

  /** Does something with a message. When the marketplace does not know it any more, its announcement says so. */
  async function whileThere<T>(ref: AccountRef, id: MessageId, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === 'NO_SUCH_MESSAGE') {
        await changed(ref, id, { type: 'left' });
      }
      throw error;
    }
  }

  return {
    /** Fetches a message and records it as read here. Throws what the call throws. */
    read: (ref: AccountRef, id: MessageId, by: MemberId): Promise<Message> =>
      whileThere(ref, id, async () => {
        const message = await (await deps.marketplaceOf(ref)).readMessage(id);
        await changed(ref, id, { type: 'read', by });
        return message;
      }),

    /** Moves a message to the trash. Throws what the call throws. */
    trash: (ref: AccountRef, id: MessageId, by: MemberId): Promise<void> =>
      whileThere(ref, id, async () => {
        await (await deps.marketplaceOf(ref)).deleteMessage(id);
        await changed(ref, id, { type: 'trashed', by });
      }),
  };
}
