import type { Button } from '@slack/types';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { type ButtonLook, button } from '../../slack/blocks.ts';

/** The action id of every button that starts a review. */
export const startAction = 'focus.start';

/** Stands for no account: that of whoever clicks is meant. */
const anyAccount = 'none';

/** Which tasks a review goes through; absent: those of the account, or of the channel that the button stands in. */
interface ReviewStart {
  readonly account?: AccountId;
  readonly campaign?: CampaignId;
}

/** Returns the button that starts a review. */
export function reviewButton({ account, campaign }: ReviewStart, look: ButtonLook = {}): Button {
  const value = [account ?? anyAccount, ...(campaign === undefined ? [] : [campaign])].join(' ');
  return button('Start review', startAction, value, look);
}

/** Decodes what the button carries. */
export function decodeReviewStart(value: string): ReviewStart {
  const [account = anyAccount, ...campaign] = value.split(' ');
  return {
    ...(account === anyAccount ? {} : { account: AccountId.parse(account) }),
    ...(campaign.length === 0 ? {} : { campaign: CampaignId.parse(campaign.join(' ')) }),
  };
}
