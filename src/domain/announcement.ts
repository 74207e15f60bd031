import { z } from 'zod';
import { Mirrored, type PostEvent, postTransition } from './live-message.ts';
import { MemberId, MessageId } from './terms.ts';

/** An inbox message and the Slack message that announces it; `backlog`: known, but not announced. */
export const Announcement = z
  .object({
    id: MessageId,
    subject: z.string(),
    messageType: z.string(),
    /** Milliseconds since 1970; absent when unreadable. */
    sentAt: z.number().exactOptional(),
    hasAttachment: z.boolean(),
    unread: z.boolean(),
    trashed: z.boolean(),
    /** The member who read or trashed it in Slack; absent if that happened elsewhere. */
    readBy: MemberId.exactOptional(),
    trashedBy: MemberId.exactOptional(),
    /** Set once the subject was removed (ms), see retention.ts. */
    subjectRemovedAt: z.number().exactOptional(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type Announcement = z.infer<typeof Announcement>;

export type ListedMessage = Pick<
  Announcement,
  'id' | 'subject' | 'messageType' | 'sentAt' | 'hasAttachment' | 'unread'
>;

export type AnnouncementEvent =
  | { readonly type: 'listed'; readonly message: ListedMessage; readonly announce: boolean }
  /** It is no longer in the inbox, whoever moved it. */
  | { readonly type: 'left' }
  | { readonly type: 'read'; readonly by: MemberId }
  | { readonly type: 'trashed'; readonly by: MemberId }
  /** It was handled so long ago that its subject is no longer stored. */
  | { readonly type: 'subject-expired'; readonly at: number }
  | PostEvent;

/** Applies an event. Returns the changed announcement, or undefined when nothing changes. Pure. */
export function applyAnnouncementEvent(
  before: Announcement | undefined,
  event: AnnouncementEvent,
): Announcement | undefined {
  if (event.type === 'listed') return listed(before, event);
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'left':
      return before.trashed ? undefined : shown(before, { trashed: true });
    case 'read':
      return before.unread ? shown(before, { unread: false, readBy: event.by }) : undefined;
    case 'trashed':
      return before.trashed ? undefined : shown(before, { trashed: true, trashedBy: event.by });
    case 'subject-expired':
      if (before.subjectRemovedAt !== undefined || (before.unread && !before.trashed)) return undefined;
      return { ...before, subject: '', subjectRemovedAt: event.at };
    default: {
      // A message already handled need not be shown again.
      if (event.type === 'channel-lost' && (!before.unread || before.trashed)) return undefined;
      const card = postTransition(before.card, event, { isNeeded: false });
      return card && (event.type === 'channel-lost' ? shown(before, { card }) : { ...before, card });
    }
  }
}

function listed(
  before: Announcement | undefined,
  { message, announce: wanted }: Extract<AnnouncementEvent, { type: 'listed' }>,
): Announcement | undefined {
  if (before === undefined) {
    return { ...message, trashed: false, card: { state: wanted ? 'wanted' : 'backlog' }, revision: 1 };
  }
  if (before.unread === message.unread && !before.trashed) return undefined;
  // It was read in Slack after this list was loaded, so the record is newer.
  const unread = message.unread && before.readBy === undefined;
  if (before.trashedBy !== undefined || (before.unread === unread && !before.trashed)) return undefined;
  const { subjectRemovedAt: _, ...rest } = before;
  return shown({ ...rest, subject: message.subject }, { unread, trashed: false });
}

function shown(before: Announcement, change: Partial<Announcement>): Announcement {
  return { ...before, ...change, revision: before.revision + 1 };
}
