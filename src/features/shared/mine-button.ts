import type { Button } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';

/** Starts a review of the tasks of the member who clicks. */
export const mineAction = 'focus.mine';

/** Returns the button that starts a review of the reader's own tasks. */
export function mineButton(account: AccountId): Button {
  return button('Review my tasks', mineAction, account, { style: 'primary' });
}
