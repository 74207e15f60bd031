import { z } from 'zod';
import { CampaignId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';

/** Opens the second-look statistics; the button is in Home and in a campaign's status. */
export const lookFiguresAction = 'look-figures.open';

export const lookFiguresValue = codec(
  'button',
  z.object({ campaign: CampaignId.optional() }),
  'Open the figures from the Home tab.',
);

/** Returns the button that opens the second-look statistics. @param campaign absent: those of the account */
export function lookFiguresButton(campaign?: CampaignId) {
  const value = lookFiguresValue.encode(campaign === undefined ? {} : { campaign });
  return button('Second looks', lookFiguresAction, value, { label: 'Show the figures of second looks' });
}
