import type { Button } from '@slack/types';
import { button } from '../../slack/blocks.ts';

/** Value without a pending action: Slack rejects empty values. */
const noPendingAction = 'none';

/** Returns a button that asks for an API key. @param pendingAction resumed once the member is connected */
export function connectButton(style: Pick<Button, 'style'>, pendingAction = noPendingAction): Button {
  return button('Connect', 'account.connect', pendingAction, style);
}

/** Decodes the value of a {@link connectButton}; '' when there is no pending action. */
export function pendingActionOf(value: string): string {
  return value === noPendingAction ? '' : value;
}
