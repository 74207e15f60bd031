import { z } from 'zod';
import { AccountId, ChannelId, ratings } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { blockStateCodec, dayField, pageField } from '../shared/block-state.ts';

/** Which of the worker's tasks a list shows. */
const taskList = z.object({
  account: AccountId.min(1),
  /** Absent: every rating. */
  rating: z.enum(ratings).optional().catch(undefined),
  /** Days on which they were finished, both included. */
  from: dayField,
  to: dayField,
  page: pageField,
});
export type TaskList = z.infer<typeof taskList>;

export const taskListCodec = blockStateCodec(taskList);

/** The value of the filter that shows every rating. */
export const everyRating = 'ALL';

/** Which page of which of the worker's lists of employers. */
const employerList = z.object({
  account: AccountId.min(1),
  kind: z.enum(['excluded', 'included']).catch('excluded'),
  page: pageField,
});
export type EmployerList = z.infer<typeof employerList>;

export const employerListCodec = blockStateCodec(employerList);

/** What the form for excluding employers remembers: for which account, and where to answer once it is closed. */
const formState = z.object({ account: AccountId, channel: ChannelId.optional() });
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec(formState, 'Open the form again: `/proofdesk worker-side`.');
