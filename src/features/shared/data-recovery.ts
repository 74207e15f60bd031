import type { AccountRef } from '../../domain/terms.ts';
import type { DataEpoch } from '../../store/data-epoch.ts';

/** Recovers an account's data after Redis lost some; see src/features/reconcile/recovery.ts. */
export interface DataRecovery {
  /**
   * Returns the epoch of an account's data if they are not in doubt; otherwise tries to recover them first. Undefined
   * until that succeeds: the channels may have cards without a record, or newer than their record.
   */
  recovered(ref: AccountRef): Promise<DataEpoch | undefined>;
  /** Recovers the data if in doubt, and queues the search of channels that could not be read, once they can be. */
  searchUnsearched(ref: AccountRef): Promise<void>;
  /**
   * Returns the epoch in which decisions may be sent, after marking those that may already have been sent to be read
   * back. Undefined while none may be sent. Data read in another epoch may be older than a later attempt.
   */
  maySend(ref: AccountRef): Promise<DataEpoch | undefined>;
  /** Resolves true while decisions that reached the marketplace may be missing here, and for some time afterwards. */
  mayHaveLostDecisions(ref: AccountRef): Promise<boolean>;
}
