import { z } from 'zod';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** Opens the cases of a campaign whose instructions may be at fault; the button is in a channel's notice. */
export const casesAction = 'brief.cases';

export const casesValue = codec(
  'button',
  z.object({ account: AccountId, campaign: CampaignId, reason: z.string() }),
  'Look at the campaign with `/campaign status`.',
);
