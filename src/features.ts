import type { Redis } from 'ioredis';
import { createAccountBreakers } from './account-breakers.ts';
import { createCallSlack } from './call-slack.ts';
import type { Config } from './config.ts';
import type { Faults } from './domain/fault-points.ts';
import type { AccountRef, MemberId, WorkspaceId } from './domain/terms.ts';
import { explain } from './explain-error.ts';
import { createAccountsFeature } from './features/accounts/index.ts';
import { createApprovalsFeature } from './features/approvals/index.ts';
import { createAuditFeature } from './features/audit/index.ts';
import { createSealing } from './features/audit/sealing.ts';
import { createBacklog } from './features/backlog/index.ts';
import { createCampaignCommands } from './features/campaigns/index.ts';
import { cell, idCell } from './features/campaigns/results/spreadsheet.ts';
import { createCards } from './features/cards/index.ts';
import { createChannels } from './features/channels/index.ts';
import { createCreateFeature } from './features/create/index.ts';
import { createDeadLetters } from './features/dead-letters/index.ts';
import { createDecide } from './features/decide/index.ts';
import { createRecovery } from './features/decide/rebuild-task.ts';
import { createSend } from './features/decide/send.ts';
import { createDepartures } from './features/departures/index.ts';
import { createFiles } from './features/files/index.ts';
import { needsPeople } from './features/home/attention.ts';
import { createHome } from './features/home/index.ts';
import { createInbox } from './features/inbox/index.ts';
import { createInboxImport } from './features/polling/import-inbox.ts';
import { createPolling } from './features/polling/index.ts';
import { createRecovery as createDataRecovery } from './features/reconcile/recovery.ts';
import { createRequeue } from './features/reconcile/requeue.ts';
import { createDataWatch } from './features/reconcile/watch.ts';
import { createRetention } from './features/retention/index.ts';
import { createRights } from './features/rights/index.ts';
import { createSharedChannelNotice } from './features/rights/shared-channel.ts';
import { createAccess } from './features/shared/access.ts';
import { createCampaignListings } from './features/shared/campaign-listings.ts';
import { queueChannelCheck } from './features/shared/channel-check-job.ts';
import { createChannelHealth } from './features/shared/channel-health.ts';
import { createChannelRouting } from './features/shared/channel-routing.ts';
import type { FeatureContext } from './features/shared/context.ts';
import { createDeadLetterActs } from './features/shared/dead-letter-acts.ts';
import { createMemoryBudget, memoryBudgetBytes } from './features/shared/memory-budget.ts';
import { createSharedChannels } from './features/shared/shared-channels.ts';
import { createSlackPeople } from './features/shared/slack-people.ts';
import { createSpending } from './features/shared/spending.ts';
import { createSubmitFeature } from './features/submit/index.ts';
import { createSubscriptionsFeature } from './features/subscriptions/index.ts';
import { createWorkerSide } from './features/worker-side/index.ts';
import { createWorkersFeature } from './features/workers/index.ts';
import type { Jobs } from './jobs/queue.ts';
import type { JobHandlers } from './jobs/runner.ts';
import { createKeyFailover } from './key-failover.ts';
import type { Logger } from './logger.ts';

import type { Marketplaces } from './marketplaces.ts';
import { help } from './slack/commands.ts';
import type { Feature } from './slack/feature.ts';
import { commandTable } from './slack/listeners.ts';
import type { Messenger } from './slack/messenger.ts';
import type { SlackBreakers } from './slack-breakers.ts';
import type { AccountLeases } from './store/account-leases.ts';
import { createAccountOutages } from './store/account-outages.ts';
import type { Accounts } from './store/accounts.ts';
import { createAnnouncements } from './store/announcements.ts';
import { createApprovals } from './store/approvals.ts';
import { createAudit } from './store/audit/index.ts';
import { createSealer } from './store/audit/sealer.ts';
import type { AuditKey } from './store/audit/signatures.ts';
import { listTrails } from './store/audit/trails.ts';
import type { AuditWriter } from './store/audit/writer.ts';
import { createBacklogSummaries } from './store/backlog-summaries.ts';
import type { Breakers } from './store/breakers.ts';
import { createCampaigns } from './store/campaigns.ts';
import { createDataEpochs } from './store/data-epoch.ts';
import { createDeadLetterChoices } from './store/dead-letter-choices.ts';
import { createExpiringTexts } from './store/expiring-texts.ts';
import { createFetchedFiles } from './store/fetched-files.ts';
import { createGrants } from './store/grants.ts';
import { createIncidents } from './store/incidents.ts';
import { createIncompleteReads } from './store/incomplete-reads.ts';
import { createLostChannels } from './store/lost-channels.ts';
import { createMemberData } from './store/member-data.ts';
import { createMemberLimits } from './store/member-limits.ts';
import { createOpenedHomes } from './store/opened-homes.ts';
import { createPeople } from './store/people.ts';
import { createPlannedRetargets } from './store/planned-retargets.ts';
import { createRateLimiter, type RateLimits } from './store/rate-limiter.ts';
import { createRenderNumbers } from './store/render-numbers.ts';
import type { Replication } from './store/replication.ts';
import { createRetentionMarks } from './store/retention-marks.ts';
import { createRoleRequests } from './store/role-requests.ts';
import { createSlackOutages } from './store/slack-outages.ts';
import { createSpendingStore } from './store/spending.ts';
import type { Subscriptions } from './store/subscriptions.ts';
import { createTasks } from './store/tasks.ts';
import type { Timeouts } from './store/timeouts.ts';
import { createTimesToRate } from './store/times-to-rate.ts';
import { removeUnreadable } from './store/unreadable.ts';
import { createWorkers } from './store/workers.ts';

/** How often or how long, in ms. */
export interface Intervals {
  /** Every active campaign is imported in full once in this time, whatever its counts say. */
  readonly sweepMs: number;
  /** People are told of an outage that lasts longer than this. */
  readonly noticeAfterMs: number;
  /** A channel counts as lost when it could not be reached for this long. */
  readonly lostAfterMs: number;
  /** The audit is sealed so long after an entry. */
  readonly sealAfterMs: number;
  /** Data that need not be stored any more are looked for once in this time. */
  readonly retentionMs: number;
}

export const defaultIntervals: Intervals = {
  sweepMs: 600_000,
  noticeAfterMs: 60_000,
  lostAfterMs: 10_000,
  sealAfterMs: 4_000,
  retentionMs: 3_600_000,
};

const dayMs = 86_400_000;

export interface FeatureParts {
  readonly config: Pick<
    Config,
    'accountOwners' | 'auditDays' | 'pollSeconds' | 'retentionDays' | 'undoSeconds' | 'marketplace'
  >;
  readonly redis: Redis;
  readonly auditWriter: AuditWriter;
  readonly auditKeys: readonly AuditKey[];
  readonly replication: Replication;
  readonly accounts: Accounts;
  readonly breakers: Breakers;
  readonly slackBreakers: SlackBreakers;
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
  readonly now: () => number;
  readonly slackAheadOf: FeatureContext['slackAheadOf'];
  readonly logger: Logger;
}

/** Creates what features share: the stores on Redis, and what they need besides. */
function createContext(parts: FeatureParts): Omit<FeatureContext, 'recovery'> {
  const {
    config,
    redis,
    accounts,
    breakers,
    subscriptions,
    leases,
    jobs,
    marketplaces,
    messengerOf,
    logger,
    now,
    auditWriter,
  } = parts;
  const { sweepMs, noticeAfterMs, lostAfterMs } = parts.intervals;
  const refreshHomes = async (workspace: WorkspaceId, name: string) => {
    if (needsPeople(name)) await jobs.add('refresh-homes', { workspace }, { uniqueKey: workspace });
  };
  const incidents = createIncidents(redis, logger, refreshHomes, now);
  const lostChannels = createLostChannels(redis, logger, auditWriter);
  const rateLimiter = createRateLimiter(redis, parts.rateLimits, now);
  const campaigns = createCampaigns(redis, logger, now);
  const grants = createGrants(redis, logger, auditWriter);
  const slackPeople = createSlackPeople({ people: createPeople(redis), messengerOf, logger, now });
  const access = createAccess({ accounts, grants, owners: config.accountOwners, slackPeople, subscriptions });
  const onWaiting = createSharedChannelNotice({ access, incidents, logger, messengerOf });
  const sharedChannels = createSharedChannels({ grants, messengerOf, now, onWaiting });
  const { of: marketplaceOf, forJob: jobMarketplaceOf } = createAccountBreakers({
    breakers,
    marketplaceOf: createKeyFailover({
      accounts,
      clientOf: marketplaces.ofKey,
      incidents,
      jobs,
      logger,
      now,
    }),
    logger,
    async onOutageOver(ref) {
      await jobs.add('release', ref);
      await jobs.add('poll', ref, { uniqueKey: `${ref.account} recovery` });
    },
  });
  const announcements = createAnnouncements(redis, logger, now);
  const tasks = createTasks(redis, parts.faults, logger, now, auditWriter);
  const deadLetterActs = createDeadLetterActs({
    choices: createDeadLetterChoices(redis, logger),
    writer: auditWriter,
    jobs,
    tasks,
    announcements,
  });
  const forSpending = {
    access,
    approvals: createApprovals(redis, logger),
    audit: createAudit(redis, auditWriter, logger),
    grants,
    jobs,
    messengerOf,
    now,
    slackPeople,
    spendingStore: createSpendingStore(redis, config.marketplace.timeZone, logger),
  };
  return {
    ...forSpending,
    spend: createSpending(forSpending),
    roleRequests: createRoleRequests(redis),
    sharedChannels,
    accounts,
    announcements,
    deadLetterActs,
    campaigns,
    fetchedFiles: createFetchedFiles(redis, now, logger),
    expiringTexts: createExpiringTexts(redis),
    leases,
    backlogSummaries: createBacklogSummaries(redis, logger, now),
    breakers,
    outages: createAccountOutages(redis, logger),
    slackOutages: createSlackOutages(redis, logger),
    plannedRetargets: createPlannedRetargets(redis, logger),
    renderNumbers: createRenderNumbers(redis),
    replication: parts.replication,
    retentionMarks: createRetentionMarks(redis, logger),
    subscriptions,
    tasks,
    timesToRate: createTimesToRate(redis, logger),
    incidents,
    incompleteReads: createIncompleteReads(redis, logger),
    lostChannels,
    memberData: createMemberData(redis, accounts),
    memberLimits: createMemberLimits(redis, now),
    openedHomes: createOpenedHomes(redis),
    workers: createWorkers(redis, logger),

    epochs: createDataEpochs(redis, logger),
    channelHealth: createChannelHealth({
      incidents,
      logger,
      breakers,
      now,
      checkLater: (workspace, channel) => queueChannelCheck({ jobs, lostAfterMs }, workspace, channel),
    }),
    routing: createChannelRouting({ lostChannels, messengerOf, now, subscriptions }),
    listings: createCampaignListings({ campaigns, marketplaceOf, logger }),
    memory: createMemoryBudget(memoryBudgetBytes),
    rateLimiter,
    callSlackOf: createCallSlack(rateLimiter, parts.slackBreakers),
    marketplaceOf,
    jobMarketplaceOf,
    clientFor: marketplaces.clientFor,
    claimOnce: leases.claimOnce,

    zone: config.marketplace.timeZone,
    excludeMark: config.marketplace.excludeMark,
    pollSeconds: config.pollSeconds,
    undoSeconds: config.undoSeconds,
    sweepMs,
    noticeAfterMs,
    lostAfterMs,
    botUserId: parts.botUserId,

    timeouts: parts.timeouts,
    faults: parts.faults,
    logger,
    slackAheadOf: parts.slackAheadOf,
  };
}

/** Creates all features and the handlers of their jobs. */
export function createFeatures(parts: FeatureParts) {
  const shared = createContext(parts);
  const context: FeatureContext = {
    ...shared,
    recovery: createDataRecovery({ ...shared, reconnect: parts.reconnect }),
  };
  // What jobs ask of the marketplace waits while it fails; what people wait for is asked all the same.
  const jobContext: FeatureContext = { ...context, marketplaceOf: context.jobMarketplaceOf };
  const polling = createPolling({
    ...jobContext,
    inbox: createInboxImport(context),
    requeue: createRequeue(context),
  });
  const campaignCommands = createCampaignCommands(context);
  const startPolling = async (ref: AccountRef) => {
    await polling.startPolling(ref, context.pollSeconds);
    await campaignCommands.resume(ref);
  };
  const cards = createCards(jobContext);
  const decide = createDecide({ ...context, recover: createRecovery(context) });
  const send = createSend(jobContext);
  const inbox = createInbox(context);
  const backlog = createBacklog(context);
  const channels = createChannels(context);
  const sealing = createSealing({
    ...context,
    sealer: createSealer(parts.redis, { keys: parts.auditKeys, now: context.now, logger: context.logger }),
    trails: () => listTrails(parts.redis),
    sealAfterMs: parts.intervals.sealAfterMs,
    auditDays: parts.config.auditDays,
  });
  const retention = createRetention({
    ...context,
    retentionMs: parts.config.retentionDays * dayMs,
    everyMs: parts.intervals.retentionMs,
    removeUnreadable: (before) => removeUnreadable(parts.redis, before),
  });
  const create = createCreateFeature(context);
  const approvals = createApprovalsFeature({
    ...context,
    acts: { restart: campaignCommands.approved, create: create.approved, bonus: decide.approved },
  });
  const home = createHome({
    ...context,
    rolesOf: (ref) => rights.rolesOf(ref),
    help: () => help(commandTable(features)),
  });
  const rights = createRights({ ...context, onRoleChange: home.refresh });

  const features: Feature[] = [
    campaignCommands.feature,
    create.feature,
    createSubmitFeature(context),
    createSubscriptionsFeature({ ...context, startPolling, channels }),
    channels.feature,
    createAccountsFeature({ ...context, pendingActions: decide, onAccountChange: home.refresh }),
    cards.feature,
    decide.feature,
    inbox.feature,
    createWorkersFeature(context),
    createWorkerSide(context),
    createFiles(context),
    backlog.feature,
    rights.feature,
    approvals.feature,
    createDeadLetters(context),
    createAuditFeature({ ...context, cells: { cell, idCell } }),
    createDepartures(context),
    home.feature,
  ];
  const handlers: JobHandlers = {
    ...polling.jobs,
    ...cards.jobs,
    ...send.jobs,
    ...inbox.jobs,
    ...backlog.jobs,
    ...campaignCommands.jobs,
    ...approvals.jobs,
    ...channels.jobs,
    ...home.jobs,
    ...sealing.jobs,
    ...retention.jobs,
    async poll(ref) {
      await polling.jobs.poll(ref);
      await channels.afterPoll(ref);
      await approvals.afterPoll(ref);
      await sealing.afterPoll(ref);
    },
    async sweep(ref) {
      await polling.jobs.sweep(ref);
      await channels.afterSweep(ref);
    },
  };
  const watch = createDataWatch({ ...context, startPolling });
  return {
    context,
    features,
    handlers,
    startPolling,
    approvals,
    sealing,
    retention,
    watch,
    onSlackOutageOver: polling.onSlackOutageOver,
    explain,
  };
}
