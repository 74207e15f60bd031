import { MarketplaceError, TransportError } from './errors.ts';

/** A failed call: refused, or without a usable answer. */
export type CallFailure = MarketplaceError | TransportError;

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof MarketplaceError || error instanceof TransportError;
}

/** Whether nobody knows if the change was made: it must not be repeated blindly. */
export function isUnsure(error: CallFailure): boolean {
  return error instanceof TransportError ? error.mayHaveBeenApplied : error.code === 'SYSTEM_ERROR';
}
