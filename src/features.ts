import type { Redis } from 'ioredis';
import { createCallSlack } from './call-slack.ts';
import type { Config } from './config.ts';
import type { Faults } from './domain/fault-points.ts';
import type { AccountRef, MemberId, WorkspaceId } from './domain/terms.ts';
import { NotConnected } from './errors.ts';
import { connectPrompt } from './features/accounts/accounts.view.ts';
import { createAccountsFeature } from './features/accounts/index.ts';
import { createBacklog } from './features/backlog/index.ts';
import { createCampaignCommands } from './features/campaigns/index.ts';
import { createCards } from './features/cards/index.ts';
import { createCreateFeature } from './features/create/index.ts';
import { createDeadLetters } from './features/dead-letters/index.ts';
import { createDecide } from './features/decide/index.ts';
import { createRecovery } from './features/decide/rebuild-task.ts';
import { createSend } from './features/decide/send.ts';
import { createFiles } from './features/files/index.ts';
import { createHome } from './features/home/index.ts';
import { createInbox } from './features/inbox/index.ts';
import { createInboxImport } from './features/polling/import-inbox.ts';
import { createPolling } from './features/polling/index.ts';
import { createRecovery as createDataRecovery } from './features/reconcile/recovery.ts';
import { createRequeue } from './features/reconcile/requeue.ts';
import { createDataWatch } from './features/reconcile/watch.ts';
import { createCampaignListings } from './features/shared/campaign-listings.ts';
import { createChannelHealth } from './features/shared/channel-health.ts';
import type { FeatureContext } from './features/shared/context.ts';
import { marketplaceErrorText } from './features/shared/marketplace-error.ts';
import { redisErrorText } from './features/shared/redis-error.ts';
import { createSubmitFeature } from './features/submit/index.ts';
import { createSubscriptionsFeature } from './features/subscriptions/index.ts';
import { createWorkerSide } from './features/worker-side/index.ts';
import { createWorkersFeature } from './features/workers/index.ts';
import type { Jobs } from './jobs/queue.ts';
import type { JobHandlers } from './jobs/runner.ts';
import { createKeyFailover } from './key-failover.ts';
import type { Logger } from './logger.ts';
import { MarketplaceError, TransportError } from './marketplace/index.ts';
import type { Marketplaces } from './marketplaces.ts';
import type { Message } from './slack/blocks.ts';
import { help } from './slack/commands.ts';
import type { Feature } from './slack/feature.ts';
import { commandTable } from './slack/listeners.ts';
import type { Messenger } from './slack/messenger.ts';
import { notice } from './slack/notice.ts';
import type { AccountLeases } from './store/account-leases.ts';
import type { Accounts } from './store/accounts.ts';
import { createAnnouncements } from './store/announcements.ts';
import { createAudit } from './store/audit.ts';
import { createBacklogSummaries } from './store/backlog-summaries.ts';
import { createCampaigns } from './store/campaigns.ts';
import { createDataEpochs } from './store/data-epoch.ts';
import { createExpiringTexts } from './store/expiring-texts.ts';
import { createFetchedFiles } from './store/fetched-files.ts';
import { createIncidents } from './store/incidents.ts';
import { createPlannedRetargets } from './store/planned-retargets.ts';
import { createRateLimiter, type RateLimits } from './store/rate-limiter.ts';
import { isRedisUnavailable } from './store/redis.ts';
import { createRenderNumbers } from './store/render-numbers.ts';
import type { Subscriptions } from './store/subscriptions.ts';
import { createTasks } from './store/tasks.ts';
import type { Timeouts } from './store/timeouts.ts';
import { createTimesToRate } from './store/times-to-rate.ts';
import { createWorkers } from './store/workers.ts';

/** How often or how long, in ms. */
export interface Intervals {
  /** Every active campaign is imported in full once in this time, whatever its counts say. */
  readonly sweepMs: number;
  /** A channel or workspace that refused a call is left alone for this long. */
  readonly pauseMs: number;
}

export const defaultIntervals: Intervals = { sweepMs: 600_000, pauseMs: 60_000 };

export interface FeatureParts {
  readonly config: Pick<Config, 'pollSeconds' | 'undoSeconds' | 'marketplace'>;
  readonly redis: Redis;
  readonly accounts: Accounts;
  readonly subscriptions: Subscriptions;
  readonly leases: AccountLeases;
  readonly jobs: Jobs;
  readonly marketplaces: Marketplaces;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Connects again what the environment says: its account and channel. */
  readonly reconnect: () => Promise<void>;
  readonly rateLimits: RateLimits;
  readonly intervals: Intervals;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly botUserId: MemberId;
  readonly logger: Logger;
}

/** Creates what features share: the stores on Redis, and what they need besides. */
function createContext(parts: FeatureParts): Omit<FeatureContext, 'recovery'> {
  const { config, redis, accounts, subscriptions, leases, jobs, marketplaces, messengerOf, logger } = parts;
  const { sweepMs, pauseMs } = parts.intervals;
  const now = Date.now;
  const incidents = createIncidents(redis, logger);
  const rateLimiter = createRateLimiter(redis, parts.rateLimits);
  const campaigns = createCampaigns(redis, logger);
  const marketplaceOf = createKeyFailover({
    accounts,
    clientOf: marketplaces.ofKey,
    incidents,
    jobs,
    logger,
    now,
  });
  return {
    accounts,
    announcements: createAnnouncements(redis, logger),
    audit: createAudit(redis, logger),
    campaigns,
    fetchedFiles: createFetchedFiles(redis, now, logger),
    expiringTexts: createExpiringTexts(redis),
    leases,
    backlogSummaries: createBacklogSummaries(redis, logger),
    plannedRetargets: createPlannedRetargets(redis, logger),
    renderNumbers: createRenderNumbers(redis),
    subscriptions,
    tasks: createTasks(redis, parts.faults, logger),
    timesToRate: createTimesToRate(redis, logger),
    incidents,
    workers: createWorkers(redis, logger),

    epochs: createDataEpochs(redis, logger),
    channelHealth: createChannelHealth({ subscriptions, incidents, messengerOf, logger, pauseMs, now }),
    listings: createCampaignListings({ campaigns, marketplaceOf, logger }),
    jobs,
    rateLimiter,
    callSlackOf: createCallSlack(rateLimiter),
    marketplaceOf,
    clientFor: marketplaces.clientFor,
    messengerOf,
    claimOnce: leases.claimOnce,

    zone: config.marketplace.timeZone,
    excludeMark: config.marketplace.excludeMark,
    pollSeconds: config.pollSeconds,
    undoSeconds: config.undoSeconds,
    sweepMs,
    pauseMs,
    botUserId: parts.botUserId,

    timeouts: parts.timeouts,
    faults: parts.faults,
    logger,
    now,
  };
}

/** Creates all features and the handlers of their jobs. */
export function createFeatures(parts: FeatureParts) {
  const shared = createContext(parts);
  const context: FeatureContext = {
    ...shared,
    recovery: createDataRecovery({ ...shared, reconnect: parts.reconnect }),
  };
  const polling = createPolling({
    ...context,
    inbox: createInboxImport(context),
    requeue: createRequeue(context),
  });
  const campaignCommands = createCampaignCommands(context);
  const startPolling = async (ref: AccountRef) => {
    await polling.startPolling(ref, context.pollSeconds);
    await campaignCommands.resume(ref);
  };
  const cards = createCards(context);
  const decide = createDecide({ ...context, recover: createRecovery(context) });
  const send = createSend(context);
  const inbox = createInbox(context);
  const backlog = createBacklog(context);
  const home = createHome({ ...context, help: () => help(commandTable(features)) });

  const features: Feature[] = [
    campaignCommands.feature,
    createCreateFeature(context),
    createSubmitFeature(context),
    createSubscriptionsFeature({ ...context, startPolling }),
    createAccountsFeature({ ...context, pendingActions: decide, onAccountChange: home.refresh }),
    cards.feature,
    decide.feature,
    inbox.feature,
    createWorkersFeature(context),
    createWorkerSide(context),
    createFiles(context),
    backlog.feature,
    createDeadLetters(context),
    home.feature,
  ];
  const handlers: JobHandlers = {
    ...polling.jobs,
    ...cards.jobs,
    ...send.jobs,
    ...inbox.jobs,
    ...backlog.jobs,
    ...campaignCommands.jobs,
  };
  const watch = createDataWatch({ ...context, startPolling });
  return { context, features, handlers, startPolling, watch, explain };
}

/** Returns what to tell people about an error that they can do something about; undefined for a bug. */
function explain(error: unknown): Message | undefined {
  if (error instanceof NotConnected) return connectPrompt(error.intent);
  if (error instanceof MarketplaceError || error instanceof TransportError) {
    return notice(marketplaceErrorText(error));
  }
  if (isRedisUnavailable(error)) return notice(redisErrorText(error));
  return undefined;
}
