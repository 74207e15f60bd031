/**
 * The service's fields and answers ("Resources and their fields" and each endpoint's "Success"), as far as they are used.
 * Schemas parse tolerantly: numbers as strings or numbers, booleans likewise, null as absent. `json` is how the API describes
 * a field: sandbox/marketplace/openapi.yaml is generated from it (scripts/docs).
 */
import { Readable } from 'node:stream';
import * as z from 'zod';
import { type Money, money } from '../domain/money.ts';
import { campaignStatuses, ratings } from '../domain/terms.ts';
import { creationTime } from './api-assumptions.ts';
import type { HttpResponse } from './http.ts';

const string = { json: { type: 'string' } };

/** A required text; a number is converted to text. */
const text = z.union([z.string(), z.number()]).transform(String).meta(string);

/** A text that may be absent or null, which becomes empty. */
const optionalText = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform((value) => (value === undefined || value === null ? '' : String(value)))
  .meta(string);

/** A datetime as the service writes it; datetimes.ts parses it. */
const datetimeText = optionalText.meta({
  json: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' },
});

/** An opaque id. A number too large to be exact is rejected, since it could not be sent back. */
const id = z
  .union([z.string(), z.int()])
  .transform(String)
  .refine((value) => value.trim() !== '', 'an empty id')
  .meta({ json: { type: 'string', minLength: 1 } });

/** The same schema with the type of each id: the client creates ids nowhere else. */
const campaignId = id.brand<'CampaignId'>();
const taskId = id.brand<'TaskId'>();
const messageId = id.brand<'MessageId'>();
const workerId = id.brand<'WorkerId'>();

const digits = z
  .string()
  .regex(/^\s*-?\d+\s*$/u, 'not a whole number')
  .transform(Number);

const integer = z.union([z.int(), digits.pipe(z.int())]).meta({ json: { type: 'integer' } });

/** A whole number that the service writes as a text. */
const integerText = integer.meta({ json: { type: 'string', pattern: '^-?\\d+$' } });

/** A whole number that may be absent or empty. */
const integerOrNull = z
  .union([integer, z.literal('')])
  .nullish()
  .transform((value) => (typeof value === 'number' ? value : undefined))
  .meta({ json: { type: ['integer', 'null'] } });

/** A count that may be absent or empty, which becomes 0. */
const optionalCount = integerOrNull.transform((value) => value ?? 0).meta({ json: { type: 'integer' } });

const money5 = { json: { type: 'string', pattern: '^-?\\d+\\.\\d{5}$' } };

/** Required money. */
const amount = z
  .union([z.string(), z.number()])
  .transform((value, context): Money => {
    try {
      return money(value);
    } catch {
      context.issues.push({ code: 'custom', message: 'not an amount of money', input: value });
      return z.NEVER;
    }
  })
  .meta(money5);

/** Money that may be absent or empty, which means that nothing was paid. */
const optionalAmount = z
  .union([z.literal('').transform(() => money(0)), amount])
  .nullish()
  .transform((value): Money => value ?? money(0))
  .meta(money5);

const yes = new Set<unknown>([true, 1, '1', 'true', 'yes']);

/** A boolean in any of its notations. */
const flag = z
  .union([z.boolean(), z.number(), z.string()])
  .nullish()
  .transform((value) => yes.has(typeof value === 'string' ? value.trim().toLowerCase() : value))
  .meta({ json: { type: 'boolean' } });

/** A boolean that the service writes as `0` or `1`. */
const flagText = flag.meta({ json: { type: 'string', enum: ['0', '1'] } });

const upperCase = z.string().transform((value) => value.trim().toUpperCase());

/** One of the values, in any case. */
function oneOf<const Values extends readonly string[]>(values: Values) {
  return upperCase.pipe(z.enum(values)).meta({ json: { type: 'string', enum: values } });
}

const rating = oneOf(ratings);
const campaignStatus = oneOf(campaignStatuses);

/** A list of texts, where a single one may come without a list. */
const texts = z
  .union([z.array(optionalText), z.string().transform((value) => [value])])
  .nullish()
  .transform((value): readonly string[] => value ?? [])
  .meta({ json: { type: 'array', items: { type: 'string' } } });

/** The name of a picture's type, or another name of it, as this one. */
const usualTypes: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/x-png': 'image/png',
};

/** A media type in lower case, by its usual name, without parameters. */
const mediaType = optionalText
  .transform((value) => {
    const type = (value.split(';')[0] ?? '').trim().toLowerCase();
    return usualTypes[type] ?? type;
  })
  .meta(string);

/** An object under the client's names. `names` has those that are not just in snake case on the wire. */
function record<Fields extends z.ZodRawShape>(
  fields: Fields,
  names: { readonly [Name in keyof Fields]?: string } = {},
) {
  const snakeCase = (name: string) => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  const wireNames = Object.keys(fields).map((name) => [name, names[name] ?? snakeCase(name)] as const);
  const wire = z.object(Object.fromEntries(wireNames.map(([name, sent]) => [sent, fields[name]])));
  return wire.transform((sent) => {
    const read = wireNames.map(([name, sentName]) => [name, sent[sentName]]);
    return Object.fromEntries(read) as z.output<z.ZodObject<Fields>>;
  });
}

/** An item of a list as it was sent, and as it was read: a malformed one does not fail the others. */
export type ListItem<Item> = { readonly sent: unknown } & (
  | { readonly item: Item; readonly issues?: undefined }
  | { readonly item?: undefined; readonly issues: string[] }
);

function listOf<Item extends z.ZodType>(item: Item) {
  const read = (sent: unknown): ListItem<z.output<Item>> => {
    const parsed = item.safeParse(sent);
    return parsed.success ? { sent, item: parsed.data } : { sent, issues: describeIssues(parsed.error) };
  };
  return z.array(z.unknown().transform(read)).meta({ listOf: item });
}

/** Describes why a schema rejected a value: by its path, never by the value, which may be personal data. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
}

/** Returns the schema of an answer with a list, and of the number of its items, if it states one. */
function listAnswer<Name extends string, Item extends z.ZodType>(name: Name, item: Item, count = integer) {
  const answer = z.object({ count: count.optional().catch(undefined), [name]: listOf(item) });
  return answer.transform((sent) => ({
    count: sent.count as number | undefined,
    items: sent[name] as ListItem<z.output<Item>>[],
  }));
}

/** The part that every answer has. */
export const envelope = z.object({ status: upperCase });

/** `error`, `errors_list`, `errors` and `min_payment_per_task` ("Shape" of an error). */
export const refusal = z.object({
  error: optionalText,
  errors_list: texts,
  errors: texts,
  min_payment_per_task: amount
    .meta({ json: { type: 'number' } })
    .nullish()
    .catch(null),
});

/** Both success shapes of new_campaign in one: with its cost, or with the speeds. */
export const createdCampaign = z.object({
  campaign_id: campaignId,
  cost: amount.nullish(),
  speed_previous: text.nullish(),
  speed_new: text.nullish(),
});

export const minimumPayment = record({ zone: text, paymentPerTask: amount });
export const category = record({ id, title: text, minPaymentPerTask: listOf(minimumPayment) });
export const parentCategory = record({ title: text, categories: listOf(category) });
export const categoryList = z.object({ parent_categories: listOf(parentCategory) });

export const ratedTask = z.object({
  id_task: id.nullish(),
  rating: optionalText,
  success: flag.meta({ json: { const: true } }),
  errors: texts,
});
export const ratedTasks = z.object({ tasks: listOf(ratedTask) });
export const rated = z.object({});

/** A proof file of a task; `index` starts at 1 and is the one that downloadFileProof takes. `size` is in bytes. */
export const proofFile = record({
  index: integer,
  filename: text,
  contentType: mediaType,
  size: optionalCount,
});
export const fileProof = record({
  status: optionalText
    .meta({
      json: {
        type: 'string',
        description: 'Its values are not described. Assumed: SUCCESS says that the files are fine.',
      },
    })
    .catch(''),
  fileProofDetails: listOf(proofFile).nullish().catch(null),
});
export const taskDetail = record(
  {
    bonusWorkerEarned: optionalAmount,
    campaignId,
    csvRecordNr: optionalText,
    country: optionalText,
    employerComment: optionalText,
    finishedAt: datetimeText,
    ip: optionalText,
    /** Every slot as sent; unused ones are empty. */
    proof: texts,
    // A task without files may have an empty text or nothing here.
    fileProof: fileProof.nullish().catch(null),
    rating,
    workerEarned: optionalAmount,
    workerId,
  },
  { finishedAt: 'finished_datetime', rating: 'task_rating' },
);
export const taskInfo = record({ taskId, taskDetails: taskDetail });

const messageFields = {
  id: messageId,
  type: optionalText,
  sentAt: datetimeText,
  folder: oneOf(['INBOX', 'SENT', 'TRASH']),
  subject: optionalText,
  hasAttachment: flagText,
};
const messageNames = { id: 'message_id', type: 'message_type', sentAt: 'datetime' };
export const messageSummary = record({ ...messageFields, unread: flag }, messageNames);
export const messageList = listAnswer('messages', messageSummary, integerText);
export const message = record({ ...messageFields, body: optionalText }, { ...messageNames, body: 'message' });
export const deletedMessage = z.object({});

export const campaignSummary = record(
  {
    id: campaignId,
    status: campaignStatus,
    title: optionalText,
    requiredWork: optionalText,
    requiredProof: optionalText,
    availablePositions: integerText,
    createdDatetime9: datetimeText,
    createdDatetime: optionalText,
    /** As sent by the service: a text for people, not a list to parse. */
    excludedCountries: optionalText,
    targetedCountries: optionalText,
    paymentPerTask: amount,
    speed: optionalText,
    qtRequired: flag,
    tasksOk: integerText,
    tasksNok: integerText,
    tasksNotRated: integerText,
    tasksNotReviewed: integerText,
  },
  { id: 'campaign_id', status: 'campaign_status' },
).transform(({ createdDatetime9, createdDatetime, ...campaign }) => ({
  ...campaign,
  createdAt: creationTime(createdDatetime9, createdDatetime),
}));
export const campaignSummaries = listAnswer('campaigns', campaignSummary);
export const campaignTuple = z
  .tuple([campaignId, optionalText, campaignStatus])
  .rest(z.unknown())
  .transform(([ofCampaign, title, status]) => ({ id: ofCampaign, title, status }));
export const campaignTuples = listAnswer('campaigns', campaignTuple);

export const submittedProof = z.object({ task_id: taskId });
export const resultsCsv = z.object({ csv: z.string() });
export const retargeted = z.object({ retargeted: z.array(text) });
export const restarted = z.object({ positions_added: integerText });

export const listedUser = record(
  { userId: id, username: optionalText, country: optionalText },
  { userId: 'User ID', username: 'Username', country: 'Country' },
);
export const userList = z.object({ employers: listOf(listedUser) });

/** The service's text about a changed list, such as `12 workers have been added`, and the number in it if any. */
export const listChange = z.object({ message: optionalText }).transform(({ message: sentence }) => {
  const number = /\d+/u.exec(sentence)?.[0];
  return { message: sentence, count: number === undefined ? undefined : Number(number) };
});

export const pager = record({
  currentPage: integer,
  entriesOnThisPage: integer,
  entriesPerPage: integer,
  first: optionalCount,
  last: optionalCount,
  firstPage: integer,
  lastPage: integer,
  nextPage: integerOrNull,
  previousPage: integerOrNull,
  totalEntries: integer,
});
export const workerTask = record(
  {
    bonusWorkerEarned: optionalAmount,
    campaignId,
    campaignTitle: optionalText,
    csvRecordNr: optionalText,
    employerComment: optionalText,
    finishedAt: datetimeText,
    hasFile: flagText,
    taskId,
    ip: optionalText,
    proof: optionalText,
    rating,
    workerEarned: optionalAmount,
    workerId,
  },
  { finishedAt: 'finished_datetime', taskId: 'id', rating: 'task_rating' },
);
export const workerTaskList = z.object({ tasks: listOf(workerTask), pager });

/** A file that is arriving, and the answer that brings it. */
export interface FileAnswer {
  readonly file: Readable;
  readonly response: HttpResponse;
}
export const fileAnswer = z.custom<FileAnswer>(
  (body) => typeof body === 'object' && body !== null && 'file' in body && body.file instanceof Readable,
  'not a file',
);
