import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { InboxImport } from './import-inbox.ts';

/** Requeues work left unfinished by lost jobs; see src/features/reconcile/requeue.ts. */
export interface Requeue {
  requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void>;
  isAnythingUnfinished(ref: AccountRef): Promise<boolean>;
}

export type PollingContext = Pick<
  FeatureContext,
  | 'briefs'
  | 'campaigns'
  | 'cardLine'
  | 'cardWindows'
  | 'channelSettings'
  | 'faults'
  | 'incidents'
  | 'incompleteReads'
  | 'jobs'
  | 'leases'
  | 'logger'
  | 'marketplaceOf'
  | 'messengerOf'
  | 'noticeAfterMs'
  | 'now'
  | 'openCards'
  | 'outages'
  | 'pauses'
  | 'pollSeconds'
  | 'rateLimiter'
  | 'routing'
  | 'sharedChannels'
  | 'slackOutages'
  | 'subscriptions'
  | 'sweepMs'
  | 'tasks'
  | 'timeouts'
  | 'workers'
> & {
  readonly inbox: InboxImport;
  /** Processes the statuses of the campaigns that a poll has listed at that time (ms). */
  readonly takeInStatuses: (ref: AccountRef, listed: readonly Campaign[], at: number) => Promise<void>;
  readonly requeue: Requeue;
  /** Redraws the cards of unfinished tasks after Redis was restarted, failed over or restored. */
  readonly redrawAfterRestart: (ref: AccountRef) => Promise<void>;
};
