import { z } from 'zod';
import { CampaignId, ChannelId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** Creates a codec for values of this feature's buttons and forms. */
export function campaignCodec<Schema extends z.ZodType>(thing: 'button' | 'form', schema: Schema) {
  return codec(thing, schema, 'Start again with `/campaign list`.');
}

export const campaignId = CampaignId.min(1);
/** Where a modal was opened. */
export const channel = ChannelId.optional();

/** A campaign and, for a restart, the requested number of positions. */
export const campaignValue = campaignCodec(
  'button',
  z.object({ campaign: campaignId, positions: z.number().int().positive().optional() }),
);

export const purposes = ['status', 'restart', 'retarget', 'results'] as const;
/** Purpose of choosing a campaign. */
export type Purpose = (typeof purposes)[number];
