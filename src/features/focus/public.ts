import type { Button } from '@slack/types';
import { AccountId, CampaignId } from '../../domain/terms.ts';
import { type ButtonLook, button } from '../../slack/blocks.ts';

/** Means no specific account: the account of the member who clicks is used. */
const anyAccount = 'none';

/** The tasks of a review; absent: those of the account, or of the button's channel. */
interface ReviewStart {
  readonly account?: AccountId;
  readonly campaign?: CampaignId;
}

/** Returns the button that starts a review. */
export function reviewButton({ account, campaign }: ReviewStart, look: ButtonLook = {}): Button {
  const value = [account ?? anyAccount, ...(campaign === undefined ? [] : [campaign])].join(' ');
  return button('Start review', 'focus.start', value, look);
}

/** Decodes the button's value. */
export function decodeReviewStart(value: string): ReviewStart {
  const [account = anyAccount, ...campaign] = value.split(' ');
  return {
    ...(account === anyAccount ? {} : { account: AccountId.parse(account) }),
    ...(campaign.length === 0 ? {} : { campaign: CampaignId.parse(campaign.join(' ')) }),
  };
}

/** Returns the button that starts a review of the reader's own tasks. */
export function mineButton(account: AccountId): Button {
  return button('Review my tasks', 'focus.mine', account, { style: 'primary' });
}
