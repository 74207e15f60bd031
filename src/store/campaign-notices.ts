import type { Redis } from 'ioredis';
import {
  applyCampaignNoticeEvent,
  CampaignNotice,
  type CampaignNoticeEvent,
} from '../domain/campaign-notice.ts';
import { isShown } from '../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createRecords } from './records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const campaignNoticeCodec = createCodec('campaign-notice', CampaignNotice);

const group = 'states';

export type CampaignNotices = ReturnType<typeof createCampaignNotices>;

/** Creates the store of what channels are told of campaigns: one record per account and channel, the latest message's. */
export function createCampaignNotices(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  const records = createRecords<CampaignNotice, never, ChannelId>(
    redis,
    {
      name: 'campaign-notice',
      codec: campaignNoticeCodec,
      id: ChannelId,
      indexes: [],
      scores: () => ({}),
      digest: ({ card }) => ({ group, text: card.state }),
      groups: async () => [group],
    },
    logger,
    now,
  );

  return {
    /** Applies an event to a channel's notice. Returns it as it is now, and whether anything changed. */
    async apply(
      ref: AccountRef,
      channel: ChannelId,
      event: CampaignNoticeEvent,
    ): Promise<{ record: CampaignNotice | undefined; changed: boolean }> {
      for (;;) {
        const { version, value: before } = await records.load(ref, channel);
        const record = applyCampaignNoticeEvent(before, event);
        if (record === undefined) return { record: before, changed: false };
        const needsRender = isShown(record) && record.revision !== before?.revision;
        if (await records.commit(ref, channel, version, { value: record, needsRender }))
          return { record, changed: true };
      }
    },

    get: async (ref: AccountRef, channel: ChannelId) => (await records.load(ref, channel)).value,

    find: records.find,
    needsRender: records.needsRender,
    acquireRenderLease: records.acquireRenderLease,
  };
}
