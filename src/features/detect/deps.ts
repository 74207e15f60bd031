import type { Faults } from '../../domain/fault-points.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Logger } from '../../logger.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { Locks } from '../../store/locks.ts';
import type { Notices } from '../../store/notices.ts';
import type { Pace } from '../../store/pace.ts';
import type { Patience } from '../../store/patience.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Troubles } from '../../store/trouble.ts';
import type { Workers } from '../../store/workers.ts';
import type { Inbox } from './inbox-news.ts';

export interface DetectDeps {
  readonly tasks: Tasks;
  readonly campaigns: Campaigns;
  readonly subscriptions: Subscriptions;
  readonly troubles: Troubles;
  readonly locks: Locks;
  readonly pace: Pace;
  readonly inbox: Inbox;
  readonly notices: Notices;
  readonly workers: Workers;
  readonly jobs: Jobs;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly patience: Patience;
  readonly faults: Faults;
  readonly logger: Logger;
  readonly now: () => number;
  /** Every active campaign is read in full once in this time (ms), whatever its counts say. */
  readonly sweepMs: number;
}
