import type { Button } from '@slack/types';
import { button } from '../../slack/blocks.ts';

export const secondLookAction = 'second-look.settings';

/** Returns the button that opens the second-look settings of an account. */
export function secondLookButton(): Button {
  return button('Second looks', secondLookAction, 'none');
}
