import { z } from 'zod';
import { type AccountId, MessageId } from '../domain/terms.ts';

/** The types of the tags that announcements and backlog summaries carry; for cards, see card-tag.ts. */
export const announcementTagType = 'proofdesk_inbox';
export const summaryTagType = 'proofdesk_backlog';

/** What an announcement's tag says besides its account. */
export const AnnouncementTag = z.object({ message: MessageId });

/** Returns the tag of an announcement, by which it is found in the channel's history. */
export function announcementTag(account: AccountId, message: MessageId) {
  return { type: announcementTagType, payload: { account, message } } as const;
}

/** Returns the tag of a backlog summary. @param begun when its post began (ms): a channel has several in the course of time */
export function summaryTag(account: AccountId, begun: number) {
  return { type: summaryTagType, payload: { account, begun } } as const;
}
