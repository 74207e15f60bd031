import type { Button } from '@slack/types';
import { z } from 'zod';
import { type Capability, capabilities } from '../../domain/permissions.ts';
import { AccountId } from '../../domain/terms.ts';
import { button } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';

/** Value of the button: what the member asks the owners of an account for. */
export const askValue = codec(
  'button',
  z.object({
    account: AccountId,
    capability: z.enum(Object.keys(capabilities) as [Capability, ...Capability[]]),
  }),
  'Try again what you wanted to do.',
);

/** Returns a button that asks the owners of an account for the role a capability requires. */
export function askButton(account: AccountId, capability: Capability): Button {
  return button('Ask the owners', 'rights.ask', askValue.encode({ account, capability }));
}
