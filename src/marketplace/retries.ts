/** When a request may be sent again, and after how long. */
import type { MarketplaceError, TransportError } from './errors.ts';

const attempts = 4;
const firstWaitMs = 250;
const longestWaitMs = 5000;

/** A failed attempt, and what is known of it. */
export interface Failed {
  readonly error: MarketplaceError | TransportError;
  /** Whether the same request could go better a moment later. */
  readonly passing: boolean;
}

/**
 * A read is repeated after anything that may pass; a write only when it certainly was not sent or was turned away
 * before it was looked at (`mayHaveBeenApplied` is false), and only when its body can be made again.
 */
export function mayRepeat(
  failed: Failed,
  request: { readonly idempotent: boolean; readonly repeatable: boolean; readonly attempt: number },
): boolean {
  if (!failed.passing || request.attempt >= attempts || !request.repeatable) return false;
  if (request.idempotent) return true;
  return 'mayHaveBeenApplied' in failed.error && !failed.error.mayHaveBeenApplied;
}

/** Exponential backoff with full jitter: anything between nothing and the step, so that callers do not march in step. */
export function backoffMs(attempt: number): number {
  return Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. undefined when absent or neither. */
export function readRetryAfter(header: string | undefined): number | undefined {
  const value = header?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(?:\.\d+)?$/u.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
