/**
 * The answers of the endpoints in the service's format ("Resources and their fields" and each endpoint's "Success"), as far
 * as they are used. Lists are parsed item by item, so that a malformed item does not fail the others: the answer's schema
 * leaves their items open, and each item has its own schema.
 */
import * as z from 'zod';
import { listOf, optionalField, unusedField, withDescription } from './field-descriptions.ts';
import {
  amount,
  campaignId,
  campaignStatus,
  datetimeText,
  flag,
  flagText,
  id,
  integer,
  integerOrNull,
  integerText,
  messageFolder,
  messageId,
  optionalAmount,
  optionalCount,
  optionalText,
  rating,
  taskId,
  text,
  texts,
  workerId,
} from './field-schemas.ts';

const unusedId = unusedField({ type: 'string' });
const unusedText = unusedField({ type: 'string' });
const unusedCount = unusedField({ type: 'integer' });

/** The number of items of a list, if it states one. */
function listCount(type: 'string' | 'integer') {
  return withDescription(integer.optional().catch(undefined), { json: { type } });
}

/** The part that every answer has. */
export const envelope = z.object({
  status: z.string().transform((value) => value.trim().toUpperCase()),
});

/** `error`, `errors_list`, `errors`, `min_payment_per_task` and the context ids ("Shape" of an error). */
export const refusal = z.object({
  error: withDescription(optionalText, { json: { type: 'string' }, optional: true }),
  errors_list: withDescription(texts, { json: { type: 'array', items: { type: 'string' } }, optional: true }),
  errors: withDescription(texts, { json: { type: 'array', items: { type: 'string' } }, optional: true }),
  min_payment_per_task: withDescription(z.union([z.string(), z.number()]).nullish().catch(null), {
    json: { type: 'number' },
    optional: true,
  }),
  campaign_id: contextId(),
  task_id: contextId(),
  message_id: contextId(),
  index: contextId(),
});

function contextId() {
  return withDescription(id.optional().catch(undefined), { json: { type: 'string' }, optional: true });
}

/** Both success shapes of new_campaign in one. */
export const createdCampaign = z.object({
  campaign_id: campaignId,
  cost: optionalField(amount),
  speed_previous: optionalField(text),
  speed_new: optionalField(text),
});

export const minimumPayment = z.object({ zone: text, payment_per_task: amount });
export const category = z.object({ id, title: text, min_payment_per_task: listOf(minimumPayment) });
export const parentCategory = z.object({ title: text, categories: listOf(category) });
export const categoryList = z.object({ count: unusedCount, parent_categories: listOf(parentCategory) });

export const ratedTask = z.object({
  id_task: withDescription(id.nullish(), { json: { type: 'string' } }),
  rating: optionalText,
  comment: unusedText,
  bonus: unusedField({ type: 'string' }, true),
  success: withDescription(flag, { json: { const: true }, optional: true }),
  errors: withDescription(texts, { json: { type: 'array', items: { type: 'string' } }, optional: true }),
});
export const ratedTasks = z.object({ campaign_id: unusedId, tasks: listOf(ratedTask) });
export const rated = z.object({ campaign_id: unusedId, task_id: unusedId });

export const proofFile = z.object({
  index: integer,
  filename: text,
  content_type: optionalText,
  size: optionalCount,
});
export const fileProof = z.object({
  status: withDescription(optionalText.catch(''), {
    json: {
      type: 'string',
      description: 'Its values are not described. Assumed: SUCCESS says that the files are fine.',
    },
  }),
  file_proof_details: withDescription(z.array(z.unknown()).nullish().catch(null), { listOf: proofFile }),
});
export const taskDetail = z.object({
  bonus_worker_earned: optionalAmount,
  campaign_id: campaignId,
  csv_record_nr: optionalText,
  country: optionalText,
  employer_comment: optionalText,
  finished_datetime: datetimeText,
  ip: optionalText,
  proof: texts,
  // A task without files may have an empty text or nothing here.
  file_proof: withDescription(fileProof.nullish().catch(null), { sameAs: fileProof }),
  task_rating: rating,
  worker_earned: optionalAmount,
  worker_id: workerId,
});
export const taskInfo = z.object({
  task_id: taskId,
  task_details: withDescription(taskDetail, { sameAs: taskDetail }),
});

export const messageSummary = z.object({
  message_id: messageId,
  message_type: optionalText,
  datetime: datetimeText,
  folder: messageFolder,
  subject: optionalText,
  unread: flag,
  has_attachment: flagText,
});
export const messageList = z.object({ count: listCount('string'), messages: listOf(messageSummary) });
export const message = messageSummary.omit({ unread: true }).extend({ message: optionalText });
export const deletedMessage = z.object({ message_id: unusedId });

export const campaignSummary = z.object({
  campaign_id: campaignId,
  campaign_status: campaignStatus,
  title: optionalText,
  required_work: optionalText,
  required_proof: optionalText,
  available_positions: integerText,
  created_datetime9: datetimeText,
  created_datetime: withDescription(optionalText, { absent: true }),
  excluded_countries: optionalText,
  targeted_countries: optionalText,
  payment_per_task: amount,
  speed: optionalText,
  qt_required: flag,
  status: unusedField({ const: 'SUCCESS' }),
  tasks_ok: integerText,
  tasks_nok: integerText,
  tasks_not_rated: integerText,
  tasks_not_reviewed: integerText,
});
export const campaignSummaries = z.object({
  count: listCount('integer'),
  campaigns: listOf(campaignSummary),
});
export const campaignTuple = z.tuple([campaignId, optionalText, campaignStatus]).rest(z.unknown());
export const campaignTuples = z.object({ count: listCount('integer'), campaigns: listOf(campaignTuple) });

export const submittedProof = z.object({
  campaign_id: withDescription(campaignId.nullish(), { json: { type: 'string' } }),
  task_id: taskId,
});
export const resultsCsv = z.object({
  campaign_id: withDescription(campaignId.nullish(), { json: { type: 'string' } }),
  csv: withDescription(z.string(), { json: { type: 'string' } }),
});
export const retargeted = z.object({
  campaign_id: unusedId,
  retargeted: withDescription(z.array(text), { json: { type: 'array', items: { type: 'string' } } }),
});
export const restarted = z.object({ campaign_id: unusedId, positions_added: integerText });

export const listedUser = z.object({ 'User ID': id, Username: optionalText, Country: optionalText });
export const userList = z.object({ employers: listOf(listedUser) });
export const listChange = z.object({ message: optionalText });

export const pager = z.object({
  current_page: integer,
  entries_on_this_page: integer,
  entries_per_page: integer,
  first: optionalCount,
  last: optionalCount,
  first_page: integer,
  last_page: integer,
  next_page: integerOrNull,
  previous_page: integerOrNull,
  total_entries: integer,
});
export const workerTask = z.object({
  bonus_worker_earned: optionalAmount,
  campaign_id: campaignId,
  campaign_title: optionalText,
  csv_record_nr: optionalText,
  employer_comment: optionalText,
  finished_datetime: datetimeText,
  has_file: flagText,
  id: taskId,
  ip: optionalText,
  proof: optionalText,
  task_rating: rating,
  worker_earned: optionalAmount,
  worker_id: workerId,
});
export const workerTaskList = z.object({
  tasks: listOf(workerTask),
  pager: withDescription(pager, { sameAs: pager }),
});
