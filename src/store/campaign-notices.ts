import type { Redis } from 'ioredis';
import { applyCampaignNoticeEvent, CampaignNotice } from '../domain/campaign-notice.ts';
import { ChannelId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { createMirroredRecords } from './mirrored-records.ts';
import type { ErrorLogger } from './unreadable.ts';

export const campaignNoticeCodec = createCodec('campaign-notice', CampaignNotice);

export type CampaignNotices = ReturnType<typeof createCampaignNotices>;

/** Creates the store of campaign notices in channels: one record per account and channel, that of the latest message. */
export function createCampaignNotices(redis: Redis, logger?: ErrorLogger, now?: () => number) {
  return createMirroredRecords(
    redis,
    {
      name: 'campaign-notice',
      codec: campaignNoticeCodec,
      id: ChannelId,
      indexes: [],
      scores: () => ({}),
      digest: ({ card }) => card.state,
      after: applyCampaignNoticeEvent,
    },
    logger,
    now,
  );
}
