import type { AccountRef, MessageId } from '../../domain/terms.ts';
import { MarketplaceError, type Message } from '../../marketplace/index.ts';
import type { Actor } from '../../slack/feature.ts';
import type { Announcements } from '../../store/announcements.ts';
import { auditedAct, doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';

type DoneBy = Pick<Actor, 'member' | 'how'>;

export type Mailbox = ReturnType<typeof createMailbox>;

/** Creates what reads and trashes messages, and updates their announcements in channels accordingly. */
export function createMailbox(
  deps: Pick<FeatureContext, 'announcements' | 'audit' | 'jobs' | 'logger' | 'marketplaceOf'>,
) {
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
    read: (ref: AccountRef, id: MessageId, actor: DoneBy): Promise<Message> =>
      callFor(ref, id, async () => {
        const marketplace = await deps.marketplaceOf(ref);
        const entry = { what: 'read message', message: id, ...doneBy(actor) } as const;
        const message = await auditedAct(deps, ref, entry, () => marketplace.readMessage(id));
        await updateAnnouncement(ref, id, { type: 'read', by: actor.member });
        return message;
      }),

    /** Moves a message to the trash. Throws what the call throws. */
    trash: (ref: AccountRef, id: MessageId, actor: DoneBy): Promise<void> =>
      callFor(ref, id, async () => {
        const marketplace = await deps.marketplaceOf(ref);
        const entry = { what: 'trash message', message: id, ...doneBy(actor) } as const;
        await auditedAct(deps, ref, entry, () => marketplace.deleteMessage(id));
        await updateAnnouncement(ref, id, { type: 'trashed', by: actor.member });
      }),
  };
}
