import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { InboxImport } from './import-inbox.ts';

/** Finds the cards that stand in the channels without a record; see src/features/reconcile/cards.ts. */
export interface CardReconciliation {
  /** Resolves true when no card can be without a record; false when that could not be made sure of now. */
  tryEnsureReconciled(ref: AccountRef): Promise<boolean>;
  /** Whether another run of Redis serves the records than the one that stored them. */
  isOtherRedisRun(ref: AccountRef): Promise<boolean>;
  /** Records in this process how many complete polls there were. */
  recordPollCount(ref: AccountRef, polls: number): void;
}

/** Queues again the work that a lost job left unfinished; see src/features/reconcile/requeue.ts. */
export interface Requeue {
  requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void>;
  isAnythingUnfinished(ref: AccountRef): Promise<boolean>;
}

export type PollingContext = Pick<
  FeatureContext,
  | 'backlogSummaries'
  | 'campaigns'
  | 'faults'
  | 'incidents'
  | 'incompleteReads'
  | 'jobs'
  | 'leases'
  | 'logger'
  | 'marketplaceOf'
  | 'messengerOf'
  | 'now'
  | 'pollSeconds'
  | 'rateLimiter'
  | 'subscriptions'
  | 'sweepMs'
  | 'tasks'
  | 'timeouts'
  | 'workers'
> & {
  readonly inbox: InboxImport;
  readonly reconciliation: CardReconciliation;
  readonly requeue: Requeue;
};
