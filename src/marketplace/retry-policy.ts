/** When a request may be sent again, and after how long. */
import type { CallFailure } from './errors.ts';

const maxAttempts = 4;
const initialBackoffMs = 250;
const maxBackoffMs = 5000;

/** A failed attempt, with the properties of its failure. */
export interface FailedAttempt {
  readonly error: CallFailure;
  /** Whether the same request may succeed a moment later. */
  readonly isTransient: boolean;
}

/**
 * Returns whether a failed request may be sent again. A read may, after any transient failure; a write only when it
 * certainly was not sent or was rejected unprocessed (`mayHaveBeenApplied` is false), and its body can be sent again.
 */
export function shouldRetry(
  failed: FailedAttempt,
  request: {
    readonly idempotent: boolean;
    readonly replayable: boolean;
    /** From 1. */
    readonly attempt: number;
  },
): boolean {
  if (!failed.isTransient || request.attempt >= maxAttempts || !request.replayable) return false;
  if (request.idempotent) return true;
  return 'mayHaveBeenApplied' in failed.error && !failed.error.mayHaveBeenApplied;
}

/** Returns the wait after an attempt: exponential backoff with full jitter, so that clients do not retry in step. */
export function backoffMs(attempt: number): number {
  return Math.random() * Math.min(maxBackoffMs, initialBackoffMs * 2 ** (attempt - 1));
}

/**
 * Returns `Retry-After` in milliseconds from now; undefined when it is neither seconds nor an HTTP date.
 * @param date the `Date` of the answer: the current time by the clock that an HTTP date refers to
 */
export function parseRetryAfter(header: string | undefined, date?: string): number | undefined {
  const value = header?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(?:\.\d+)?$/u.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  const answeredAt = Date.parse(date ?? '');
  const now = Number.isNaN(answeredAt) ? Date.now() : answeredAt;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
