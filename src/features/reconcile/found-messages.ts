import type { CampaignChange } from '../../domain/campaign-notice.ts';
import { restoredState } from '../../domain/campaign-state.ts';
import { formerOf, type MessageRef } from '../../domain/live-message.ts';
import { queueMessageId } from '../../domain/queue-message.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import {
  AnnouncementTag,
  aboutPolling,
  aboutRead,
  announcementTagType,
  CampaignNoticeTag,
  campaignNoticeTagType,
  DailyTag,
  dailyTagType,
  NoticeTag,
  noticeTagType,
  QueueTag,
  queueTagType,
  reminderTagType,
} from '../../slack/message-tags.ts';
import type { TaggedPage } from '../../slack/messenger.ts';
import type { FeatureContext } from '../shared/context.ts';
import { retireFormer } from '../shared/former-places.ts';

export type FoundMessagesParts = Pick<
  FeatureContext,
  | 'announcements'
  | 'campaignNotices'
  | 'campaignStates'
  | 'dailySummaries'
  | 'incompleteReads'
  | 'jobs'
  | 'outages'
  | 'queueMessages'
  | 'reminders'
>;

/**
 * Creates the adoption of messages other than cards found in a channel. No announcement or summary is posted twice, and
 * each is re-rendered, because it may show state missing from its record. Problems that a notice reported are tracked
 * again, so that people are told when they end.
 */
export function createFoundMessages({
  announcements,
  campaignNotices,
  campaignStates,
  dailySummaries,
  incompleteReads,
  jobs,
  outages,
  queueMessages,
  reminders,
}: FoundMessagesParts) {
  /** Restores the records from the latest notice about a subject. */
  async function takeUpNotice(ref: AccountRef, { about, state }: NoticeTag, at: number): Promise<void> {
    const what = about.startsWith(aboutRead) ? about.slice(aboutRead.length) : undefined;
    if (about === aboutPolling) {
      if (state === 'begun') await outages.restore(ref, at);
      else await outages.remove(ref);
    } else if (what !== undefined && state === 'begun') await incompleteReads.restore(ref, what, at);
    // Its record is removed with the next complete read, which nobody needs to be told about again.
    else if (what !== undefined)
      await incompleteReads.update(ref, what, (before) => before && { ...before, notified: false });
  }

  /** Restores the campaign states that people were told. */
  async function takeUpCampaigns(
    ref: AccountRef,
    messageRef: MessageRef,
    changes: readonly CampaignChange[],
  ): Promise<void> {
    await campaignNotices.apply(ref, messageRef.channel, { type: 'found', messageRef, changes });
    for (const { campaign, status, at } of changes) {
      const before = await campaignStates.get(ref, campaign);
      const after = restoredState(before, status, at);
      if (after !== undefined) await campaignStates.replace(ref, campaign, before, after);
    }
  }

  return {
    /**
     * Adopts the messages on a page of a channel's history.
     * @param found the latest first
     * @param notices the subjects of notices found so far, in any channel, by the timestamp of the latest; this page's
     *   are added
     */
    async takeUp(
      ref: AccountRef,
      channel: ChannelId,
      found: TaggedPage['tagged'],
      notices: Map<string, string>,
    ): Promise<void> {
      for (const { ts, type, payload } of found) {
        const messageRef = { channel, ts };
        const notice = type === noticeTagType ? NoticeTag.safeParse(payload).data : undefined;
        if (notice && (notices.get(notice.about) ?? '') < ts) {
          notices.set(notice.about, ts);
          await takeUpNotice(ref, notice, Number(ts) * 1_000);
        }
        const campaign = type === queueTagType && QueueTag.safeParse(payload).data?.campaign;
        if (campaign) {
          const place = { channel, campaign };
          const id = queueMessageId(place);
          await queueMessages.apply(ref, id, { type: 'found', place, messageRef });
          await queueMessages.markNeedsRender(ref, [id]);
        }
        if (type === reminderTagType) {
          await reminders.apply(ref, channel, { type: 'found', messageRef });
          await reminders.markNeedsRender(ref, [channel]);
        }
        const daily = type === dailyTagType ? DailyTag.safeParse(payload).data : undefined;
        if (daily) await dailySummaries.apply(ref, channel, { type: 'found', messageRef, ...daily });
        const told = type === campaignNoticeTagType ? CampaignNoticeTag.safeParse(payload).data : undefined;
        if (told) await takeUpCampaigns(ref, messageRef, told.said);
        const announced = type === announcementTagType ? AnnouncementTag.safeParse(payload).data : undefined;
        if (announced === undefined || announced.moved) continue;
        const id = announced.message;
        const { record } = await announcements.apply(ref, id, { type: 'posted', messageRef });
        if (record === undefined) {
          await announcements.storeFound(ref, id, messageRef);
          continue;
        }
        await retireFormer({ jobs }, ref, formerOf(record.card));
        if (record.card.state === 'posted') await announcements.markNeedsRender(ref, [id]);
      }
    },
  };
}
