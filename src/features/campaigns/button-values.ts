import { z } from 'zod';
import { CampaignId, ChannelId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** Makes a codec for what the buttons, options and modals of this feature carry. */
export function campaignCodec<Schema extends z.ZodType>(schema: Schema) {
  return codec(schema, 'Start again with `/campaign list`.');
}

export const campaignId = CampaignId.min(1);
/** Where a modal was opened. */
export const channel = ChannelId.optional();

/** One campaign, and for a restart how many positions were asked for. */
export const campaignValue = campaignCodec(
  z.object({ campaign: campaignId, positions: z.number().int().positive().optional() }),
);

export const purposes = ['status', 'restart', 'retarget', 'results'] as const;
/** What a campaign is chosen for. */
export type Purpose = (typeof purposes)[number];
