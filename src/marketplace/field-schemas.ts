/**
 * The schemas of the service's fields, which parse tolerantly: numbers as strings or numbers, booleans likewise, null as
 * absent. The input side of each schema covers the API's description and the other accepted forms.
 */
import * as z from 'zod';
import { type Money, money } from '../domain/money.ts';
import { campaignStatuses, ratings } from '../domain/terms.ts';
import { withDescription } from './field-descriptions.ts';

const string = { json: { type: 'string' } };

/** A required text; a number is converted to text. */
export const text = withDescription(z.union([z.string(), z.number()]).transform(String), string);

/** A text that may be absent or null, which becomes empty. */
export const optionalText = withDescription(
  z
    .union([z.string(), z.number(), z.boolean()])
    .nullish()
    .transform((value) => (value === undefined || value === null ? '' : String(value))),
  string,
);

/** A datetime as the service writes it; datetimes.ts parses it. */
export const datetimeText = withDescription(optionalText, {
  json: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' },
});

/** An opaque id. A number too large to be exact is rejected, since it could not be sent back. */
export const id = withDescription(
  z
    .union([z.string(), z.int()])
    .transform(String)
    .refine((value) => value.trim() !== '', 'an empty id'),
  { json: { type: 'string', minLength: 1 } },
);

/** The same schema with the type of each id: the client creates ids nowhere else. */
export const campaignId = id.brand<'CampaignId'>();
export const taskId = id.brand<'TaskId'>();
export const messageId = id.brand<'MessageId'>();
export const workerId = id.brand<'WorkerId'>();

const digits = z
  .string()
  .regex(/^\s*-?\d+\s*$/u, 'not a whole number')
  .transform(Number);

export const integer = withDescription(z.union([z.int(), digits.pipe(z.int())]), {
  json: { type: 'integer' },
});

/** A whole number that the service writes as a text. */
export const integerText = withDescription(integer, { json: { type: 'string', pattern: '^-?\\d+$' } });

/** A count that may be absent or empty, which becomes 0. */
export const optionalCount = withDescription(
  z
    .union([integer, z.literal('')])
    .nullish()
    .transform((value) => (typeof value === 'number' ? value : 0)),
  { json: { type: 'integer' } },
);

export const integerOrNull = withDescription(
  z
    .union([integer, z.literal('')])
    .nullish()
    .transform((value) => (typeof value === 'number' ? value : undefined)),
  { json: { type: ['integer', 'null'] } },
);

/** The tasks of a campaign have few distinct amounts, and parsing one costs more than all texts of a task. */
const recentAmounts = new Map<string, Money>();
const recentAmountsLimit = 1_000;

/** Returns an amount of money. Throws RangeError when the value is not one. */
function toAmount(value: string | number): Money {
  const recent = typeof value === 'string' ? recentAmounts.get(value) : undefined;
  if (recent !== undefined) return recent;
  const amount = money(value);
  if (typeof value === 'string' && value.length < 20) {
    if (recentAmounts.size >= recentAmountsLimit) recentAmounts.clear();
    recentAmounts.set(value, amount);
  }
  return amount;
}

const money5 = { json: { type: 'string', pattern: '^-?\\d+\\.\\d{5}$' } };

/** Required money. */
export const amount = withDescription(
  z.union([z.string(), z.number()]).transform((value, context): Money => {
    try {
      return toAmount(value);
    } catch {
      context.issues.push({ code: 'custom', message: 'not an amount of money', input: value });
      return z.NEVER;
    }
  }),
  money5,
);

/** Money that may be absent or empty, which means that nothing was paid. */
export const optionalAmount = withDescription(
  z
    .union([z.literal('').transform(() => money(0)), amount])
    .nullish()
    .transform((value): Money => value ?? money(0)),
  money5,
);

const yes = new Set<unknown>([true, 1, '1', 'true', 'yes']);

/** A boolean in any of its notations. */
export const flag = withDescription(
  z
    .union([z.boolean(), z.number(), z.string()])
    .nullish()
    .transform((value) => yes.has(typeof value === 'string' ? value.trim().toLowerCase() : value)),
  { json: { type: 'boolean' } },
);

/** A boolean that the service writes as `0` or `1`. */
export const flagText = withDescription(flag, { json: { type: 'string', enum: ['0', '1'] } });

/** One of the values, in any case. */
function oneOf<const Values extends readonly string[]>(values: Values) {
  const upper = z.string().transform((value) => value.trim().toUpperCase());
  return withDescription(upper.pipe(z.enum(values)), { json: { type: 'string', enum: values } });
}

export const rating = oneOf(ratings);
export const campaignStatus = oneOf(campaignStatuses);
export const messageFolder = oneOf(['INBOX', 'SENT', 'TRASH']);

/** A list of texts, where a single one may come without a list. */
export const texts = withDescription(
  z
    .union([z.array(optionalText), z.string().transform((value) => [value])])
    .nullish()
    .transform((value) => value ?? []),
  { json: { type: 'array', items: { type: 'string' } } },
);

/** Describes why a schema rejected a value: by its path, never by the value, which may be personal data. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
}
