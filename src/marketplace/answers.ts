/** From the text of an answer to what it says: success, a refusal of the service, or nothing of its shape. */
import type * as z from 'zod';
import { type Money, money } from '../domain/money.ts';
import type { Datetimes } from './datetimes.ts';
import { findAuthenticationText, type MarketplaceErrorCode, readErrorText } from './error-texts.ts';
import { type ErrorDetails, type ErrorIds, MarketplaceError } from './errors.ts';
import { envelope, refusal } from './schemas.ts';
import { doesTheStatusSayTheKeyIsWrong, readCountryList, readRetargetTimestamp } from './silent-points.ts';

/** What is known of the request when its answer is read. */
export interface AnswerContext {
  readonly operation: string;
  readonly ids: ErrorIds;
  readonly datetimes: Datetimes;
  /** Takes the key out of a text. */
  readonly redact: (text: string) => string;
}

export type Answer =
  | { readonly kind: 'success'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly error: MarketplaceError }
  | { readonly kind: 'unreadable' };

/**
 * Reads a body, whatever the HTTP status: the API does not say which one comes with what ("HTTP status codes of
 * responses: not shown"). Authentication texts are recognized in any shape.
 */
export function readAnswer(body: string, status: number, context: AnswerContext): Answer {
  const json = parseJson(body);
  const shape = envelope.safeParse(json);
  if (shape.success && shape.data.status === 'SUCCESS') return { kind: 'success', body: json };
  if (shape.success && shape.data.status === 'ERROR') {
    const read = refusal.safeParse(json);
    if (read.success) return { kind: 'refused', error: refusedBy(read.data, context) };
  }
  // A page is not searched to its end: these texts come alone.
  const found = findAuthenticationText(body.slice(0, 4096));
  if (found) return { kind: 'refused', error: aboutTheKey(found.code, found.text, context) };
  if (doesTheStatusSayTheKeyIsWrong(status)) {
    return { kind: 'refused', error: aboutTheKey('API_KEY_WRONG', `HTTP status ${status}`, context) };
  }
  return { kind: 'unreadable' };
}

/** A refusal that speaks of the key alone. */
export function aboutTheKey(
  code: MarketplaceErrorCode,
  text: string,
  context: Pick<AnswerContext, 'operation' | 'ids'>,
): MarketplaceError {
  const { operation, ids } = context;
  return new MarketplaceError({
    operation,
    ids,
    code,
    text,
    errorsList: [],
    errors: [],
    problems: [],
    details: {},
  });
}

function refusedBy(read: z.output<typeof refusal>, context: AnswerContext): MarketplaceError {
  const { redact } = context;
  const listed = [...read.errors_list, ...read.errors];
  const minPaymentPerTask = tryAmount(read.min_payment_per_task);
  const text = [read.error, listed.join(', ')].find((one) => one.trim() !== '') ?? '';
  const { code, details } = codeOf(text, listed, minPaymentPerTask, context.datetimes);
  return new MarketplaceError({
    operation: context.operation,
    code,
    text: redact(text),
    ids: idsOf(read, context),
    errorsList: read.errors_list.map(redact),
    errors: read.errors.map(redact),
    problems: listed.map((one) => readErrorText(one).code),
    details: redactDetails(details, redact),
    ...(minPaymentPerTask === undefined ? {} : { minPaymentPerTask }),
  });
}

/** The code of `error`; without one that is known, of the first listed text that is; else what the minimum says. */
function codeOf(
  text: string,
  listed: readonly string[],
  minPayment: Money | undefined,
  datetimes: Datetimes,
): { code: MarketplaceErrorCode; details: ErrorDetails } {
  for (const one of [text, ...listed]) {
    const { code, parameter } = readErrorText(one);
    if (code !== 'OTHER') return { code, details: detailsOf(code, parameter ?? '', datetimes) };
  }
  const authentication = findAuthenticationText(text);
  if (authentication) return { code: authentication.code, details: {} };
  return { code: minPayment === undefined ? 'OTHER' : 'PAYMENT_TOO_LOW', details: {} };
}

function detailsOf(code: MarketplaceErrorCode, parameter: string, datetimes: Datetimes): ErrorDetails {
  if (code === 'NEXT_RETARGET') {
    const nextRetargetAt = readRetargetTimestamp(parameter, datetimes.parse);
    return nextRetargetAt === undefined ? {} : { nextRetargetAt };
  }
  if (code === 'UNKNOWN_COUNTRY_CODE') return { unknownCountry: parameter };
  if (code === 'COUNTRIES_NOT_AVAILABLE') return { unavailableCountries: readCountryList(parameter) };
  return {};
}

function redactDetails(details: ErrorDetails, redact: (text: string) => string): ErrorDetails {
  return {
    ...details,
    ...(details.unknownCountry === undefined ? {} : { unknownCountry: redact(details.unknownCountry) }),
    ...(details.unavailableCountries === undefined
      ? {}
      : { unavailableCountries: details.unavailableCountries.map(redact) }),
  };
}

/** The ids of the answer, or else those of the request. */
function idsOf(read: z.output<typeof refusal>, { ids, redact }: AnswerContext): ErrorIds {
  return {
    ...ids,
    ...(read.campaign_id === undefined ? {} : { campaignId: redact(read.campaign_id) }),
    ...(read.task_id === undefined ? {} : { taskId: redact(read.task_id) }),
    ...(read.message_id === undefined ? {} : { messageId: redact(read.message_id) }),
    ...(read.index === undefined ? {} : { index: redact(read.index) }),
  };
}

function tryAmount(value: string | number | null | undefined): Money | undefined {
  if (value === null || value === undefined) return undefined;
  try {
    return money(value);
  } catch {
    return undefined;
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body.startsWith('\uFEFF') ? body.slice(1) : body);
  } catch {
    return undefined;
  }
}
