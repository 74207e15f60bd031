import { z } from 'zod';
import type { BulkRatingId } from '../domain/bulk-rating.ts';
import { CampaignChange } from '../domain/campaign-notice.ts';
import { type AccountId, CampaignId, MessageId } from '../domain/terms.ts';
import type { MessageTag } from './messenger.ts';

/** The types of the tags that announcements, summaries, reminders, notices and messages of what waits carry; for cards, see card-tag.ts. */
export const announcementTagType = 'proofdesk_inbox';
export const queueTagType = 'proofdesk_queue';
/** Of summaries that earlier versions have posted. */
export const formerSummaryTagType = 'proofdesk_backlog';
export const reminderTagType = 'proofdesk_reminder';
export const dailyTagType = 'proofdesk_daily';
export const campaignNoticeTagType = 'proofdesk_campaigns';
export const assignedNoticeTagType = 'proofdesk_assigned';
export const noticeTagType = 'proofdesk_notice';
const bulkTagType = 'proofdesk_bulk';
const lossTagType = 'proofdesk_loss';

/** In the tag of a message that says where a card or announcement continues. */
export const movedMark = z.literal(1).optional();

/** Returns the tag of a message that is only to say where the one that carried `tag` continues. */
export function movedTag({ type, payload }: MessageTag): MessageTag {
  return { type, payload: { ...payload, moved: 1 } };
}

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
export const AnnouncementTag = z.object({ message: MessageId, moved: movedMark });

/** Returns the tag of an announcement, by which it is found in the channel's history. */
export function announcementTag(account: AccountId, message: MessageId) {
  return { type: announcementTagType, payload: { account, message } } as const;
}

/** What the tag of a message of what waits says besides its account. */
export const QueueTag = z.object({ campaign: CampaignId });

/** Returns the tag of what waits in a campaign. @param begun when its post began (ms): a channel has several in the course of time */
export function queueTag(account: AccountId, campaign: CampaignId, begun: number) {
  return { type: queueTagType, payload: { account, campaign, begun } } as const;
}

/** Returns the tag of what a member is told of their tasks. @param begun when its post began (ms) */
export function assignedNoticeTag(account: AccountId, begun: number) {
  return { type: assignedNoticeTagType, payload: { account, begun } } as const;
}

/** Returns the tag of the progress of a bulk rating. */
export function bulkTag(account: AccountId, rating: BulkRatingId) {
  return { type: bulkTagType, payload: { account, rating } } as const;
}

/** Returns the tag of what says that something was lost together with Redis. @param loss names what was lost */
export function lossTag(account: AccountId, loss: string) {
  return { type: lossTagType, payload: { account, loss } } as const;
}

/** Returns the tag of a reminder of what runs out. @param begun when its post began (ms): a channel has several in the course of time */
export function reminderTag(account: AccountId, begun: number) {
  return { type: reminderTagType, payload: { account, begun } } as const;
}

/** What the tag of a daily summary says besides its account: its day, and until when it counts (ms). */
export const DailyTag = z.object({ day: z.iso.date(), until: z.number() });

/** Returns the tag of the summary of a day (YYYY-MM-DD). */
export function dailyTag(account: AccountId, day: string) {
  return { type: dailyTagType, payload: { account, day } } as const;
}

/** How many changes the tag of a notice of campaigns tells. */
const maxSaid = 15;

/** Returns the tag of a notice of campaigns. @param begun when its post began (ms): a channel has several in the course of time */
export function campaignNoticeTag(account: AccountId, begun: number) {
  return { type: campaignNoticeTagType, payload: { account, begun } } as const;
}

/** Returns what a notice of campaigns tells, for its tag. */
export function saidText(changes: readonly CampaignChange[]): string {
  return JSON.stringify(changes.slice(0, maxSaid).map(({ campaign, status, at }) => [campaign, status, at]));
}

const Said = z.array(
  z
    .tuple([CampaignChange.unwrap().shape.campaign, CampaignChange.unwrap().shape.status, z.number()])
    .transform(([campaign, status, at]): CampaignChange => ({ campaign, status, at })),
);

/** What the tag of a notice of campaigns says besides its account. */
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
