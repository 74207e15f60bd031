import type { Button } from '@slack/types';
import { z } from 'zod';
import { AccountId, CampaignId, TaskId } from '../../domain/terms.ts';
import { type ButtonLook, button } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';

/** The tasks a selection starts with; absent: those of the account, or of the button's channel. */
const BulkStart = z.object({
  account: AccountId.exactOptional(),
  campaign: CampaignId.exactOptional(),
  /** This task and those connected with it by evidence. */
  alike: TaskId.exactOptional(),
});
export type BulkStart = z.infer<typeof BulkStart>;

/** Value of the button. */
export const bulkStart = codec('button', BulkStart, 'Open the selection in the home tab.');

/** Returns the button that opens a selection of a task and all tasks connected with it by evidence. */
export function reviewTogetherButton(account: AccountId, alike: TaskId): Button {
  return button('Review together…', 'bulk.open', bulkStart.encode({ account, alike }), {
    label: 'Review together…: select among the connected tasks, and rate them',
  });
}

/** Returns the button that opens a bulk selection. */
export function bulkButton(start: BulkStart, look: ButtonLook = {}): Button {
  return button('Select…', 'bulk.open', bulkStart.encode(start), {
    label: 'Select several tasks, and rate them together',
    ...look,
  });
}
