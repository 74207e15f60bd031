import { z } from 'zod';
import { BulkRatingId } from '../../domain/bulk-rating.ts';
import { AccountId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** The action ids of a bulk rating's buttons. */
export const bulkUndo = 'bulk.undo';
export const bulkRetry = 'bulk.retry';
export const bulkResults = 'bulk.results';

/** Value of these buttons; the run number makes a retry idempotent. */
export const ratingValue = codec(
  'button',
  z.object({ account: AccountId, rating: BulkRatingId, run: z.number() }),
  'Select the tasks again.',
);

/** State of every view of a selection. */
export const selectionState = codec(
  'form',
  z.object({ account: AccountId, selection: z.string(), step: z.number() }),
  'Select the tasks again.',
);
export type SelectionState = ReturnType<typeof selectionState.decode>;
