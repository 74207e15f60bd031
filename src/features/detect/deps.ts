import type { Faults } from '../../domain/fault-points.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Logger } from '../../logger.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { AccountLeases } from '../../store/account-leases.ts';
import type { BacklogSummaries } from '../../store/backlog-summaries.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Incidents } from '../../store/incidents.ts';
import type { RateLimiter } from '../../store/rate-limiter.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Timeouts } from '../../store/timeouts.ts';
import type { Workers } from '../../store/workers.ts';
import type { Inbox } from './inbox-news.ts';

export interface DetectDeps {
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly subscriptions: Subscriptions;
  readonly incidents: Incidents;
  readonly leases: AccountLeases;
  readonly rateLimiter: RateLimiter;
  readonly inbox: Inbox;
  readonly backlogSummaries: BacklogSummaries;
  readonly workers: Workers;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly logger: Logger;
  readonly now: () => number;
  /** Every active campaign is read in full once in this time (ms), whatever its counts say. */
  readonly sweepMs: number;
}
