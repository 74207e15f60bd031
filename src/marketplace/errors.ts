import type { Money } from '../domain/money.ts';
import { isAuthenticationCode, type MarketplaceErrorCode, readErrorText } from './error-texts.ts';

/** The parsed varying parts of the texts that have them. */
export interface ErrorDetails {
  /** NEXT_RETARGET: when a retarget is possible again. */
  readonly nextRetargetAt?: Date;
  /** UNKNOWN_COUNTRY_CODE. */
  readonly unknownCountry?: string;
  /** COUNTRIES_NOT_AVAILABLE. */
  readonly unavailableCountries?: readonly string[];
}

/** The service answered with a refusal ("Errors" of the API): nothing was changed. Never holds the key. */
export class MarketplaceError extends Error {
  override readonly name = 'MarketplaceError';
  declare readonly operation: string;
  declare readonly code: MarketplaceErrorCode;
  declare readonly text: string;
  declare readonly errorsList: readonly string[];
  declare readonly errors: readonly string[];
  declare readonly details: ErrorDetails;
  declare readonly minPaymentPerTask?: Money;

  constructor({
    errorsList = [],
    errors = [],
    details = {},
    ...refusal
  }: Pick<MarketplaceError, 'operation' | 'code' | 'text'> &
    Partial<Pick<MarketplaceError, 'errorsList' | 'errors' | 'details' | 'minPaymentPerTask'>>) {
    const more = [...errorsList, ...errors].filter((text) => text !== refusal.text);
    super(`${refusal.operation}: ${[refusal.text, ...more].join('; ')}`);
    Object.assign(this, refusal, { errorsList, errors, details });
  }

  /** Returns the codes of `errorsList` and `errors`, in order. */
  get problems(): MarketplaceErrorCode[] {
    return [...this.errorsList, ...this.errors].map((text) => readErrorText(text).code);
  }

  /** Returns whether the key is at fault, not the request. */
  get isAuthentication(): boolean {
    return isAuthenticationCode(this.code);
  }
}

/**
 * - `timeout`: the deadline of the call expired;
 * - `connection`: no connection, or it broke;
 * - `http`: a status without an answer of the service's shape;
 * - `unreadable`: a body that does not match the API's description;
 * - `rate-limited`: asked to slow down, for longer than the call could wait;
 * - `aborted`: by the caller's signal, or because the client is closed.
 */
export type TransportErrorKind =
  | 'timeout'
  | 'connection'
  | 'http'
  | 'unreadable'
  | 'rate-limited'
  | 'aborted';

/** There was no usable answer. Never holds the key, nor the underlying error, which might. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  declare readonly operation: string;
  declare readonly kind: TransportErrorKind;
  /** Always false for reads. True for a write unless it certainly was not sent, or was certainly rejected. */
  declare readonly mayHaveBeenApplied: boolean;
  /** HTTP status, when there was one. */
  declare readonly status?: number | undefined;
  /** How long the service asked to wait, from now. */
  declare readonly retryAfterMs?: number | undefined;

  constructor({ reason, ...failure }: Omit<TransportError, keyof Error> & { readonly reason: string }) {
    super(`${failure.operation}: ${reason}`);
    Object.assign(this, failure);
  }
}

/** Returns the error of a search in an incomplete list: the item may exist even though it was not found. */
export function incompleteAnswer(operation: string): TransportError {
  return new TransportError({
    operation,
    kind: 'unreadable',
    reason: 'an answer that is not complete',
    mayHaveBeenApplied: false,
  });
}

/** A failed call: refused, or without a usable answer. */
export type CallFailure = MarketplaceError | TransportError;

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof MarketplaceError || error instanceof TransportError;
}

/** Returns whether a write may or may not have been applied: it must not be repeated blindly. */
export function hasUnknownOutcome(error: CallFailure): boolean {
  return error instanceof TransportError ? error.mayHaveBeenApplied : error.code === 'SYSTEM_ERROR';
}
