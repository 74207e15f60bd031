import { z } from 'zod';
import { AccountId, ChannelId, WorkerId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { blockStateCodec, pageField } from '../shared/block-state.ts';

/** State of a list: the account and the page. */
const workersList = z.object({ account: AccountId.min(1), page: pageField });
export type WorkersList = z.infer<typeof workersList>;

export const workersListCodec = blockStateCodec(workersList);

/** State of this feature's modals: the account, and where to answer. */
const formState = z.object({
  account: AccountId,
  channel: ChannelId.optional(),
  /** The worker the modal is about; absent in the form for ids. */
  worker: WorkerId.optional(),
  /** Whether submitting adds workers to the exclude list or removes them. */
  change: z.enum(['exclude', 'include']),
});
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec('form', formState, 'Open the list again: `/proofdesk workers`.');
