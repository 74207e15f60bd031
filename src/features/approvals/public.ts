import type { Button } from '@slack/types';
import { button } from '../../slack/blocks.ts';

export const limitsAction = 'spending.limits';

/** Returns the button that opens the spending limits, for the settings of an account. */
export function limitsButton(): Button {
  return button('Spending limits', limitsAction, 'none');
}
