import type { AccountRef, MessageId } from '../../domain/terms.ts';
import { auditedAct, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { MarketplaceError, type Message } from '../../marketplace/index.ts';
import type { Actor } from '../../slack/feature.ts';
import type { AuditStep } from '../../store/audit-entries.ts';
import type { Announcements } from '../../store/messages.ts';

type DoneBy = Pick<Actor, 'member' | 'how'>;

export type Mailbox = ReturnType<typeof createMailbox>;

/** Creates reading and trashing of messages, with updates of their announcements. */
export function createMailbox(deps: Modules) {
  async function updateAnnouncement(
    ref: AccountRef,
    id: MessageId,
    event: Parameters<Announcements['apply']>[2],
    step?: AuditStep,
  ): Promise<void> {
    const { changed } = await deps.slack.announcements.apply(ref, id, event, step);
    if (!changed && step !== undefined) await deps.audit.add(step);
  }

  /** Makes a call about a message. If the marketplace no longer knows the message, its announcement says so. */
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
    /** Loads a message and records it as read here. Throws the call's errors. */
    read: (ref: AccountRef, id: MessageId, actor: DoneBy): Promise<Message> =>
      callFor(ref, id, async () => {
        const client = await deps.marketplace.of(ref);
        const entry = { what: 'read message', message: id, ...doneBy(actor) } as const;
        const event = { type: 'read', by: actor.member } as const;
        return auditedAct(deps, ref, entry, () => client.readMessage(id), {
          store: (_, step) => updateAnnouncement(ref, id, event, step),
        });
      }),

    /** Moves a message to the trash. Throws the call's errors. */
    trash: (ref: AccountRef, id: MessageId, actor: DoneBy): Promise<void> =>
      callFor(ref, id, async () => {
        const client = await deps.marketplace.of(ref);
        const entry = { what: 'trash message', message: id, ...doneBy(actor) } as const;
        const event = { type: 'trashed', by: actor.member } as const;
        await auditedAct(deps, ref, entry, () => client.deleteMessage(id), {
          store: (_, step) => updateAnnouncement(ref, id, event, step),
        });
      }),
  };
}
