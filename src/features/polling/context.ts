import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { InboxImport } from './import-inbox.ts';

/** Requeues work left unfinished by lost jobs; see src/features/reconcile/requeue.ts. */
export interface Requeue {
  requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void>;
  isAnythingUnfinished(ref: AccountRef): Promise<boolean>;
}

export type PollingContext = Modules & {
  readonly inbox: InboxImport;
  /** Processes the statuses of the campaigns that a poll has listed at that time (ms). */
  readonly takeInStatuses: (ref: AccountRef, listed: readonly Campaign[], at: number) => Promise<void>;
  readonly requeue: Requeue;
  /** Redraws the cards of unfinished tasks after Redis was restarted, failed over or restored. */
  readonly redrawAfterRestart: (ref: AccountRef) => Promise<void>;
};
