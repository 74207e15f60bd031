import { z } from 'zod';
import { AccountId, ChannelId, WorkerId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { blockStateCodec, pageField } from '../shared/block-state.ts';

/** Which page of which account's list is shown. */
const workersList = z.object({ account: AccountId.min(1), page: pageField });
export type WorkersList = z.infer<typeof workersList>;

export const workersListCodec = blockStateCodec(workersList);

/** What the modals of this feature remember: whose list, and where to answer. */
const formState = z.object({
  account: AccountId,
  channel: ChannelId.optional(),
  /** The one worker the modal is about; absent in the form that asks for ids. */
  worker: WorkerId.optional(),
  /** Whether submitting puts workers on the exclude list or removes them from it. */
  change: z.enum(['exclude', 'include']),
});
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec(formState, 'Open the list again: `/proofdesk workers`.');
