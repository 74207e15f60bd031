import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { InboxImport } from './import-inbox.ts';

/** Requeues work left unfinished by lost jobs; see src/features/reconcile/requeue.ts. */
export interface Requeue {
  requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void>;
  isAnythingUnfinished(ref: AccountRef): Promise<boolean>;
}

/** What a feature does after a poll, an import or a sweep of an account; a failure of one affects no other. */
export interface Follower {
  afterPoll?(ref: AccountRef, subscribed: readonly Subscription[]): Promise<void>;
  afterImport?(ref: AccountRef): Promise<void>;
  afterSweep?(ref: AccountRef): Promise<void>;
}

export type PollingContext = Modules & {
  readonly inbox: InboxImport;
  /** Processes the statuses of the campaigns that a poll has listed at that time (ms). */
  readonly takeInStatuses: (ref: AccountRef, listed: readonly Campaign[], at: number) => Promise<void>;
  readonly requeue: Requeue;
  /** Redraws the cards of unfinished tasks after Redis was restarted, failed over or restored. */
  readonly redrawAfterRestart: (ref: AccountRef) => Promise<void>;
  readonly followers: readonly Follower[];
};
