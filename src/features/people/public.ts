import type { Button, InputBlock } from '@slack/types';
import { z } from 'zod';
import { type Capability, capabilities } from '../../domain/permissions.ts';
import { AccountId } from '../../domain/terms.ts';
import { button, input, plainText } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';

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

/** The choice in place of the user groups while Slack refuses them: it says what is missing, and is refused itself. */
export const noGroups = 'none';
export const noGroupsText = 'Ask an admin to give Proofdesk the scope usergroups:read.';

/** Returns an input that searches the workspace's user groups while somebody types. */
export function groupInput(label: string, hint?: string): InputBlock {
  return input(
    'group',
    label,
    { type: 'external_select', placeholder: plainText('Search user groups'), min_query_length: 0 },
    { isOptional: true, actionId: 'group.pick', ...(hint === undefined ? {} : { hint }) },
  );
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
