import type { Button } from '@slack/types';
import { z } from 'zod';
import { type Capability, capabilities } from '../../domain/permissions.ts';
import { AccountId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';

export { type ActOutcome, type ApprovedAct, createSpending, queueApproval } from './spending.ts';
export { approvalButtons, bonusCost, requestText } from './spending.view.ts';

/** Value of the button: what the member asks the owners of an account for. */
export const askValue = codec(
  'button',
  z.object({
    account: AccountId,
    capability: z.enum(Object.keys(capabilities) as [Capability, ...Capability[]]),
  }),
  'Try again.',
);

/** Returns a button that asks the owners of an account for the role a capability requires. */
export function askButton(account: AccountId, capability: Capability): Button {
  return button('Ask the owners', 'rights.ask', askValue.encode({ account, capability }));
}

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
