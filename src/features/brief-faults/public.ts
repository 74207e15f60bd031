import { z } from 'zod';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { codec } from '../../slack/form-values.ts';

export const casesValue = codec(
  'button',
  z.object({ account: AccountId, campaign: CampaignId, reason: z.string() }),
  'Look at the campaign with `/campaign status`.',
);
