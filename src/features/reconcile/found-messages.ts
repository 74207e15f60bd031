import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { AnnouncementTag, announcementTagType, summaryTagType } from '../../slack/message-tags.ts';
import type { TaggedPage } from '../../slack/messenger.ts';
import type { FeatureContext } from '../shared/context.ts';

export type FoundMessagesParts = Pick<FeatureContext, 'announcements' | 'backlogSummaries'>;

/**
 * Creates what takes up announcements and summaries that were found in a channel: none is posted a second time, and each is
 * rendered again, since it may show what its record does not know.
 */
export function createFoundMessages({ announcements, backlogSummaries }: FoundMessagesParts) {
  return {
    /** Takes up the messages of a page of a channel's history. @param found the latest first */
    async takeUp(ref: AccountRef, channel: ChannelId, found: TaggedPage['tagged']): Promise<void> {
      for (const { ts, type, payload } of found) {
        const messageRef = { channel, ts };
        if (type === summaryTagType) {
          await backlogSummaries.apply(ref, channel, { type: 'found', messageRef });
          await backlogSummaries.markNeedsRender(ref, [channel]);
        }
        const id = type === announcementTagType && AnnouncementTag.safeParse(payload).data?.message;
        if (!id) continue;
        const { record } = await announcements.apply(ref, id, { type: 'posted', messageRef });
        if (record === undefined) await announcements.storeFound(ref, id, messageRef);
        else if (record.card.state === 'posted') await announcements.markNeedsRender(ref, [id]);
      }
    },
  };
}
