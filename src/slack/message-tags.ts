import { z } from 'zod';
import type { BulkRatingId } from '../domain/bulk-rating.ts';
import { CampaignChange } from '../domain/campaign-notice.ts';
import { type AccountId, CampaignId, MessageId } from '../domain/terms.ts';
import type { MessageTag } from './messenger.ts';

/** The tag types of announcements, summaries, reminders, notices and queue messages; for cards, see card-tag.ts. */
export const announcementTagType = 'proofdesk_inbox';
export const queueTagType = 'proofdesk_queue';
export const reminderTagType = 'proofdesk_reminder';
export const dailyTagType = 'proofdesk_daily';
export const campaignNoticeTagType = 'proofdesk_campaigns';
export const assignedNoticeTagType = 'proofdesk_assigned';
export const noticeTagType = 'proofdesk_notice';
const bulkTagType = 'proofdesk_bulk';
const lossTagType = 'proofdesk_loss';

/** Marks the tag of a message that says where a card or announcement continues. */
export const movedMark = z.literal(1).optional();

/** Returns the tag of a message that only says where the message tagged `tag` continues. */
export function movedTag({ type, payload }: MessageTag): MessageTag {
  return { type, payload: { ...payload, moved: 1 } };
}

/** The tag of a notice besides its account: its subject, and whether that begins or is over. */
export const NoticeTag = z.object({ about: z.string(), state: z.enum(['begun', 'over']) });
export type NoticeTag = z.infer<typeof NoticeTag>;

/** The subject of notices of an outage of an account's marketplace. */
export const aboutPolling = 'polling';
/** Prefix of the subject of notices about incomplete reads; the name of the read follows. */
export const aboutRead = 'read ';

/** Returns the tag of a notice: a notice of a beginning is followed by one of the end. */
export function noticeTag(account: AccountId, about: string, state: NoticeTag['state']) {
  return { type: noticeTagType, payload: { account, about, state } } as const;
}

/** The tag of an announcement besides its account. */
export const AnnouncementTag = z.object({ message: MessageId, moved: movedMark });

/** Returns the tag of an announcement, by which it is found in the channel's history. */
export function announcementTag(account: AccountId, message: MessageId) {
  return { type: announcementTagType, payload: { account, message } } as const;
}

/** The tag of a queue message besides its account. */
export const QueueTag = z.object({ campaign: CampaignId });

/** Returns the tag of a campaign's queue message. @param begun when its post began (ms): a channel gets several over time */
export function queueTag(account: AccountId, campaign: CampaignId, begun: number) {
  return { type: queueTagType, payload: { account, campaign, begun } } as const;
}

/** Returns the tag of a notice to a member about their tasks. @param begun when its post began (ms) */
export function assignedNoticeTag(account: AccountId, begun: number) {
  return { type: assignedNoticeTagType, payload: { account, begun } } as const;
}

/** Returns the tag of the progress of a bulk rating. */
export function bulkTag(account: AccountId, rating: BulkRatingId) {
  return { type: bulkTagType, payload: { account, rating } } as const;
}

/** Returns the tag of a notice that data were lost together with Redis. @param loss names the lost data */
export function lossTag(account: AccountId, loss: string) {
  return { type: lossTagType, payload: { account, loss } } as const;
}

/**
 * Returns the tag of a reminder of tasks that are due. @param begun when its post began (ms): a channel gets several over
 * time
 */
export function reminderTag(account: AccountId, begun: number) {
  return { type: reminderTagType, payload: { account, begun } } as const;
}

/** The tag of a daily summary besides its account: its day, and until when it counts (ms). */
export const DailyTag = z.object({ day: z.iso.date(), until: z.number() });

/** Returns the tag of the summary of a day (YYYY-MM-DD). */
export function dailyTag(account: AccountId, day: string) {
  return { type: dailyTagType, payload: { account, day } } as const;
}

/** Most changes in the tag of a campaign notice. */
const maxSaid = 15;

/** Returns the tag of a campaign notice. @param begun when its post began (ms): a channel gets several over time */
export function campaignNoticeTag(account: AccountId, begun: number) {
  return { type: campaignNoticeTagType, payload: { account, begun } } as const;
}

/** Encodes the changes in a campaign notice for its tag. */
export function saidText(changes: readonly CampaignChange[]): string {
  return JSON.stringify(changes.slice(0, maxSaid).map(({ campaign, status, at }) => [campaign, status, at]));
}

const Said = z.array(
  z
    .tuple([CampaignChange.unwrap().shape.campaign, CampaignChange.unwrap().shape.status, z.number()])
    .transform(([campaign, status, at]): CampaignChange => ({ campaign, status, at })),
);

/** The tag of a campaign notice besides its account. */
export const CampaignNoticeTag = z.object({
  said: z.string().transform((text, context) => {
    try {
      return Said.parse(JSON.parse(text));
    } catch {
      context.addIssue('not what was written');
      return z.NEVER;
    }
  }),
});
