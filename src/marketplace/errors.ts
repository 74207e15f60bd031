import type { Money } from '../domain/money.ts';
import { isAuthenticationCode, type MarketplaceErrorCode } from './error-texts.ts';

/** The subject of a refusal, as named by the service or our own request. */
export interface ErrorIds {
  readonly campaignId?: string;
  readonly taskId?: string;
  readonly messageId?: string;
  readonly index?: string;
}

/** The parsed varying parts of the texts that have them. */
export interface ErrorDetails {
  /** NEXT_RETARGET: when a retarget is possible again. */
  readonly nextRetargetAt?: Date;
  /** UNKNOWN_COUNTRY_CODE. */
  readonly unknownCountry?: string;
  /** COUNTRIES_NOT_AVAILABLE. */
  readonly unavailableCountries?: readonly string[];
}

interface RefusalFields {
  readonly operation: string;
  readonly code: MarketplaceErrorCode;
  readonly text: string;
  readonly ids: ErrorIds;
  readonly errorsList: readonly string[];
  readonly errors: readonly string[];
  /** Codes of `errorsList` and `errors`, in order. */
  readonly problems: readonly MarketplaceErrorCode[];
  readonly details: ErrorDetails;
  readonly minPaymentPerTask?: Money;
}

/** The service answered with a refusal ("Errors" of the API): nothing was changed. Never holds the key. */
export class MarketplaceError extends Error implements RefusalFields {
  override readonly name = 'MarketplaceError';
  readonly operation: string;
  readonly code: MarketplaceErrorCode;
  readonly text: string;
  readonly ids: ErrorIds;
  readonly errorsList: readonly string[];
  readonly errors: readonly string[];
  readonly problems: readonly MarketplaceErrorCode[];
  readonly details: ErrorDetails;
  readonly minPaymentPerTask?: Money;

  constructor(refusal: RefusalFields) {
    const more = [...refusal.errorsList, ...refusal.errors].filter((text) => text !== refusal.text);
    super(`${refusal.operation}: ${[refusal.text, ...more].join('; ')}`);
    this.operation = refusal.operation;
    this.code = refusal.code;
    this.text = refusal.text;
    this.ids = refusal.ids;
    this.errorsList = refusal.errorsList;
    this.errors = refusal.errors;
    this.problems = refusal.problems;
    this.details = refusal.details;
    if (refusal.minPaymentPerTask !== undefined) this.minPaymentPerTask = refusal.minPaymentPerTask;
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

interface TransportErrorFields {
  readonly operation: string;
  readonly kind: TransportErrorKind;
  readonly mayHaveBeenApplied: boolean;
  readonly reason: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** There was no usable answer. Never holds the key, nor the underlying error, which might. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly operation: string;
  readonly kind: TransportErrorKind;
  /** Always false for reads. True for a write unless it certainly was not sent, or was certainly rejected. */
  readonly mayHaveBeenApplied: boolean;
  /** HTTP status, when there was one. */
  readonly status?: number;
  /** How long the service asked to wait, from now. */
  readonly retryAfterMs?: number;

  constructor(failure: TransportErrorFields) {
    super(`${failure.operation}: ${failure.reason}`);
    this.operation = failure.operation;
    this.kind = failure.kind;
    this.mayHaveBeenApplied = failure.mayHaveBeenApplied;
    if (failure.status !== undefined) this.status = failure.status;
    if (failure.retryAfterMs !== undefined) this.retryAfterMs = failure.retryAfterMs;
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
