import type { AccountRef } from '../../domain/terms.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';

/** Makes the data of an account true again when Redis has lost some; see src/features/reconcile/recovery.ts. */
export interface DataRecovery {
  /**
   * Returns the epoch of an account's data when they are not in doubt; otherwise tries to recover them first. Undefined
   * while that is not done: cards may stand in the channels without a record, and show what no record says.
   */
  recovered(ref: AccountRef): Promise<DataEpoch | undefined>;
  /** Recovers the data if they are in doubt, and has a channel searched that could not be read then, once it can be. */
  searchUnsearched(ref: AccountRef): Promise<void>;
  /**
   * Returns the epoch in which decisions may be sent: those that may have been sent already are marked to be read back.
   * Undefined while none may. What was read in another epoch may be older than an attempt that was made since.
   */
  maySend(ref: AccountRef): Promise<DataEpoch | undefined>;
  /** Resolves true while, and for some time after, decisions may have been lost that reached the marketplace. */
  mayHaveLostDecisions(ref: AccountRef): Promise<boolean>;
}
