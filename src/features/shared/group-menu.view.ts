import type { InputBlock } from '@slack/types';
import { input, plainText } from '../../slack/blocks.ts';

/** Action id under which every menu of user groups requests its options; the rights feature answers it. */
export const groupMenu = 'group.pick';

/** Returns an input that searches the workspace's user groups while somebody types. */
export function groupInput(label: string, hint?: string): InputBlock {
  return input(
    'group',
    label,
    { type: 'external_select', placeholder: plainText('Search user groups'), min_query_length: 0 },
    { isOptional: true, actionId: groupMenu, ...(hint === undefined ? {} : { hint }) },
  );
}
