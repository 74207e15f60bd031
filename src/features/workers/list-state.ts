import { z } from 'zod';
import { AccountId, WorkerId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { Origin } from '../../slack/feature.ts';
import { blockStateCodec, pageField } from '../../ui/list.view.ts';

/** State of a list: the account and the page. */
const workersList = z.object({ account: AccountId.min(1), page: pageField });
export type WorkersList = z.infer<typeof workersList>;

export const workersListCodec = blockStateCodec(workersList);

/** State of this feature's modals: the account, where to answer, and the page of the list there. */
const formState = z.object({
  account: AccountId,
  origin: Origin,
  page: z.number().optional(),
  /** The worker the modal is about; absent in the form for ids. */
  worker: WorkerId.optional(),
  /** Whether submitting adds workers to the exclude list or removes them. */
  change: z.enum(['exclude', 'include']),
});
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec('form', formState, 'Open the list again: `/proofdesk workers`.');
