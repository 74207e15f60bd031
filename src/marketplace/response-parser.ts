/** Parses the text of an answer: a success, a refusal of the service, or neither. */
import type * as z from 'zod';
import type { Money } from '../domain/money.ts';
import { isWrongKeyStatus, parseCountryList, parseRetargetTimestamp } from './api-assumptions.ts';
import type { Datetimes } from './datetimes.ts';
import { findAuthenticationText, type MarketplaceErrorCode, readErrorText } from './error-texts.ts';
import { type ErrorDetails, MarketplaceError } from './errors.ts';
import { envelope, refusal } from './schemas.ts';

/** The request's data that are needed to parse its answer. */
export interface ResponseContext {
  readonly operation: string;
  readonly datetimes: Datetimes;
  /** Removes the key from a text. */
  readonly redact: (text: string) => string;
}

export type ParsedResponse =
  | { readonly kind: 'success'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly error: MarketplaceError }
  | { readonly kind: 'unrecognized' };

/**
 * Parses a body, whatever the HTTP status: the API does not say which status accompanies which answer ("HTTP status codes of
 * responses: not shown"). Texts about the key are recognized in any shape.
 */
export function parseResponse(body: string, status: number, context: ResponseContext): ParsedResponse {
  const json = parseJson(body);
  const shape = envelope.safeParse(json);
  if (shape.success && shape.data.status === 'SUCCESS') return { kind: 'success', body: json };
  if (shape.success && shape.data.status === 'ERROR') {
    const parsed = refusal.safeParse(json);
    if (parsed.success) return { kind: 'refused', error: toMarketplaceError(parsed.data, context) };
  }
  // Only the beginning is searched: these texts come alone.
  const found =
    findAuthenticationText(body.slice(0, 4096)) ??
    (isWrongKeyStatus(status)
      ? { code: 'API_KEY_WRONG' as const, text: `HTTP status ${status}` }
      : undefined);
  if (found === undefined) return { kind: 'unrecognized' };
  return { kind: 'refused', error: new MarketplaceError({ operation: context.operation, ...found }) };
}

function toMarketplaceError(wire: z.output<typeof refusal>, context: ResponseContext): MarketplaceError {
  const { redact, operation } = context;
  const listed = [...wire.errors_list, ...wire.errors];
  const minPaymentPerTask = wire.min_payment_per_task ?? undefined;
  const text = [wire.error, listed.join(', ')].find((one) => one.trim() !== '') ?? '';
  return new MarketplaceError({
    operation,
    ...codeOf(text, listed, minPaymentPerTask, context),
    text: redact(text),
    errorsList: wire.errors_list.map(redact),
    errors: wire.errors.map(redact),
    ...(minPaymentPerTask === undefined ? {} : { minPaymentPerTask }),
  });
}

/** Returns the code of `error`, else of the first known listed text, else the one implied by the minimum payment. */
function codeOf(
  text: string,
  listed: readonly string[],
  minPayment: Money | undefined,
  { datetimes, redact }: ResponseContext,
): { code: MarketplaceErrorCode; details: ErrorDetails } {
  for (const one of [text, ...listed]) {
    const { code, parameter } = readErrorText(one);
    if (code !== 'OTHER') return { code, details: detailsOf(code, redact(parameter ?? ''), datetimes) };
  }
  const authentication = findAuthenticationText(text);
  if (authentication) return { code: authentication.code, details: {} };
  return { code: minPayment === undefined ? 'OTHER' : 'PAYMENT_TOO_LOW', details: {} };
}

function detailsOf(code: MarketplaceErrorCode, parameter: string, datetimes: Datetimes): ErrorDetails {
  if (code === 'NEXT_RETARGET') {
    const nextRetargetAt = parseRetargetTimestamp(parameter, datetimes.parse);
    return nextRetargetAt === undefined ? {} : { nextRetargetAt };
  }
  if (code === 'UNKNOWN_COUNTRY_CODE') return { unknownCountry: parameter };
  if (code === 'COUNTRIES_NOT_AVAILABLE') return { unavailableCountries: parseCountryList(parameter) };
  return {};
}

/** Returns the value of a JSON text; undefined when it is none. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
