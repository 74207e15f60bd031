import { z } from 'zod';
import { BulkRatingId } from '../../domain/bulk-rating.ts';
import { AccountId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** The action ids of the buttons of a bulk rating. */
export const bulkUndo = 'bulk.undo';
export const bulkRetry = 'bulk.retry';
export const bulkResults = 'bulk.results';

/** What these buttons carry: the run tells a retry that is delivered twice. */
export const ratingValue = codec(
  z.object({ account: AccountId, rating: BulkRatingId, run: z.number() }),
  'Select the tasks again.',
);

/** What every view of a selection remembers. */
export const selectionState = codec(
  z.object({ account: AccountId, selection: z.string(), step: z.number() }),
  'Select the tasks again.',
);
export type SelectionState = ReturnType<typeof selectionState.decode>;
