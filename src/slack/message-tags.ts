import { z } from 'zod';
import type { BulkRatingId } from '../domain/bulk-rating.ts';
import { type AccountId, MessageId } from '../domain/terms.ts';

/** The types of the tags that announcements, backlog summaries, reminders and notices carry; for cards, see card-tag.ts. */
export const announcementTagType = 'proofdesk_inbox';
export const summaryTagType = 'proofdesk_backlog';
export const reminderTagType = 'proofdesk_reminder';
export const noticeTagType = 'proofdesk_notice';
const bulkTagType = 'proofdesk_bulk';

/** What the tag of a notice says besides its account: what it is about, and whether that begins or is over. */
export const NoticeTag = z.object({ about: z.string(), state: z.enum(['begun', 'over']) });
export type NoticeTag = z.infer<typeof NoticeTag>;

/** What the notices of an outage of an account's marketplace are about. */
export const aboutPolling = 'polling';
/** Begins what notices are about that tell of reads which were not complete; what was read follows. */
export const aboutRead = 'read ';

/** Returns the tag of a notice: one that says that something has begun is followed by one that says that it is over. */
export function noticeTag(account: AccountId, about: string, state: NoticeTag['state']) {
  return { type: noticeTagType, payload: { account, about, state } } as const;
}

/** What an announcement's tag says besides its account. */
export const AnnouncementTag = z.object({ message: MessageId });

/** Returns the tag of an announcement, by which it is found in the channel's history. */
export function announcementTag(account: AccountId, message: MessageId) {
  return { type: announcementTagType, payload: { account, message } } as const;
}

/** Returns the tag of the progress of a bulk rating. */
export function bulkTag(account: AccountId, rating: BulkRatingId) {
  return { type: bulkTagType, payload: { account, rating } } as const;
}

/** Returns the tag of a backlog summary. @param begun when its post began (ms): a channel has several in the course of time */
export function summaryTag(account: AccountId, begun: number) {
  return { type: summaryTagType, payload: { account, begun } } as const;
}

/** Returns the tag of a reminder of what runs out. @param begun when its post began (ms): a channel has several in the course of time */
export function reminderTag(account: AccountId, begun: number) {
  return { type: reminderTagType, payload: { account, begun } } as const;
}
