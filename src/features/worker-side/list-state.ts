import { z } from 'zod';
import { AccountId, ratings } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { Origin } from '../../slack/feature.ts';
import { blockStateCodec, dayField, pageField } from '../../ui/list.view.ts';

/** Filter of the worker's task list. */
const taskList = z.object({
  account: AccountId.min(1),
  /** Absent: every rating. */
  rating: z.enum(ratings).optional().catch(undefined),
  /** Completion days, inclusive. */
  from: dayField,
  to: dayField,
  page: pageField,
});
export type TaskList = z.infer<typeof taskList>;

export const taskListCodec = blockStateCodec(taskList);

/** Filter value for every rating. */
export const everyRating = 'ALL';

/** State of an employer list: which list, and its page. */
const employerList = z.object({
  account: AccountId.min(1),
  kind: z.enum(['excluded', 'included']).catch('excluded'),
  page: pageField,
});
export type EmployerList = z.infer<typeof employerList>;

export const employerListCodec = blockStateCodec(employerList);

/** State of the exclusion form: the list, and where it is. */
const formState = z.object({ list: employerList, origin: Origin });
export type FormState = z.infer<typeof formState>;

export const formStateCodec = codec('form', formState, 'Open the form again: `/proofdesk worker-side`.');
