import type { Redis } from 'ioredis';
import { createAccountClients } from './account-clients.ts';
import type { Config } from './config.ts';
import type { Faults } from './domain/fault-points.ts';
import type { MemberId, WorkspaceId } from './domain/terms.ts';
import { needsPeople } from './features/home/attention.ts';
import { createSharedChannelNotice } from './features/rights/shared-channel.ts';
import { createAccess } from './features/shared/access.ts';
import { createCampaignListings } from './features/shared/campaign-listings.ts';
import { createCardLine } from './features/shared/card-line.ts';
import { queueChannelCheck } from './features/shared/channel-check-job.ts';
import { createChannelHealth } from './features/shared/channel-health.ts';
import { createChannelRouting } from './features/shared/channel-routing.ts';
import type { FeatureContext } from './features/shared/context.ts';
import { createDeadLetterActs } from './features/shared/dead-letter-acts.ts';
import { createDeadlines } from './features/shared/deadline.ts';
import { createHomeRefresh } from './features/shared/home-refresh.ts';
import { createMemoryBudget, memoryBudgetBytes } from './features/shared/memory-budget.ts';
import { createSharedChannels } from './features/shared/shared-channels.ts';
import { createSlackPeople } from './features/shared/slack-people.ts';
import { createSpending } from './features/shared/spending.ts';
import type { Jobs } from './jobs/queue.ts';
import type { Logger } from './logger.ts';
import type { Marketplaces } from './marketplaces.ts';
import type { Messenger } from './slack/messenger.ts';
import { createCallSlack } from './slack/pacing.ts';
import type { Accounts } from './store/accounts.ts';
import { createAssignments } from './store/assignments.ts';
import { createAudit } from './store/audit.ts';
import type { AuditWriter } from './store/audit-entries.ts';
import { createBriefs, createCampaignStates, createCampaigns } from './store/campaigns.ts';
import { createCardLines, createCardWindows } from './store/cards.ts';
import { createChannelSettings, createLostChannels } from './store/channels.ts';
import { createMemberDecisions, createReviewCounts } from './store/decisions.ts';
import {
  createBulkSelections,
  createExpiringTexts,
  createFocusSessions,
  createTypedTexts,
  focusSessionMs,
} from './store/drafts.ts';
import { createEvidence } from './store/evidence.ts';
import { createDeadLetterChoices } from './store/failing-jobs.ts';
import { createFetchedFiles } from './store/fetched-files.ts';
import { createFindIndex } from './store/find.ts';
import { createOpenedHomes, createRenderNumbers } from './store/homes.ts';
import { type AccountLeases, createTaskLeases, type Timeouts } from './store/leases.ts';
import { createMemberLimits, createRateLimiter, type RateLimits } from './store/limits.ts';
import {
  createAnnouncements,
  createAssignedNotices,
  createBulkRatings,
  createCampaignNotices,
  createDailySummaries,
  createQueueMessages,
  createReminders,
} from './store/messages.ts';
import { createNotes } from './store/notes.ts';
import {
  createAccountOutages,
  createIncidents,
  createIncompleteReads,
  createSlackOutages,
} from './store/outages.ts';
import type { Pauses } from './store/pauses.ts';
import { createPeople } from './store/people.ts';
import { createReasons, createRefusals } from './store/reasons.ts';
import { createRedisRuns } from './store/redis.ts';
import { createMemberData, createRetentionMarks } from './store/retention.ts';
import { createGrants, createRoleRequests } from './store/rights.ts';
import { createApprovals, createSpendingStore } from './store/spending.ts';
import { createDigests, createInboxChannels, type Subscriptions } from './store/subscriptions.ts';
import { createOpenTasks, createTasks, createTimesToRate } from './store/tasks.ts';
import { createWorkers } from './store/workers.ts';

/** Intervals and durations, in ms. */
export interface Intervals {
  /** Every active campaign is imported in full once per interval, whatever its counts are. */
  readonly sweepMs: number;
  /** People are told of an outage that lasts longer than this. */
  readonly noticeAfterMs: number;
  /** A channel counts as lost when it was unreachable for this long. */
  readonly lostAfterMs: number;
  /** A channel's reminder of tasks that are due is updated at most once per interval. */
  readonly reminderPaceMs: number;
  /** A channel's message about waiting tasks is updated at most once per interval. */
  readonly queuePaceMs: number;
  /** Interval of the search for data that need not be stored any more. */
  readonly retentionMs: number;
  /**
   * Every process makes sure once in this time that all repeating jobs exist (Redis may have lost them), that its key is
   * taken, and that the app is still installed.
   */
  readonly schedulersMs: number;
  /** Cards are redrawn for a new run of Redis at most once per interval. */
  readonly redrawMs: number;
}

export const defaultIntervals: Intervals = {
  sweepMs: 600_000,
  noticeAfterMs: 60_000,
  lostAfterMs: 10_000,
  reminderPaceMs: 60_000,
  queuePaceMs: 15_000,
  retentionMs: 3_600_000,
  schedulersMs: 60_000,
  redrawMs: 600_000,
};

export interface FeatureParts {
  readonly config: Pick<
    Config,
    | 'accountOwners'
    | 'auditDays'
    | 'openCards'
    | 'pollSeconds'
    | 'retentionDays'
    | 'undoSeconds'
    | 'marketplace'
  >;
  readonly redis: Redis;
  readonly auditWriter: AuditWriter;
  readonly accounts: Accounts;
  readonly pauses: Pauses;
  readonly subscriptions: Subscriptions;
  readonly leases: AccountLeases;
  readonly jobs: Jobs;
  readonly marketplaces: Marketplaces;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly rateLimits: RateLimits;
  readonly intervals: Intervals;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly pictureReader: FeatureContext['pictureReader'];
  readonly botUserId: MemberId;
  readonly now: () => number;
  readonly slackNow: () => number;
  readonly logger: Logger;
}

/** Creates the shared context of features: the stores on Redis, and their other dependencies. */
export function createContext(parts: FeatureParts): FeatureContext {
  const {
    config,
    redis,
    accounts,
    pauses,
    subscriptions,
    leases,
    jobs,
    marketplaces,
    messengerOf,
    logger,
    now,
    auditWriter,
  } = parts;
  const { sweepMs, noticeAfterMs, lostAfterMs, redrawMs } = parts.intervals;
  const openedHomes = createOpenedHomes(redis);
  const homeRefresh = createHomeRefresh({ openedHomes, jobs, logger, now });
  const refreshHomes = async (workspace: WorkspaceId, name: string) => {
    if (needsPeople(name)) await homeRefresh.all(workspace);
  };
  const incidents = createIncidents(redis, logger, refreshHomes, now);
  const lostChannels = createLostChannels(redis, logger, auditWriter);
  const timesToRate = createTimesToRate(redis, logger);
  const rateLimiter = createRateLimiter(redis, parts.rateLimits, now);
  const campaigns = createCampaigns(redis, logger, now);
  const grants = createGrants(redis, logger, auditWriter);
  const slackPeople = createSlackPeople({ people: createPeople(redis), messengerOf, logger, now });
  const access = createAccess({ accounts, grants, owners: config.accountOwners, slackPeople, subscriptions });
  const onWaiting = createSharedChannelNotice({ incidents, jobs });
  const sharedChannels = createSharedChannels({ grants, messengerOf, now, onWaiting });
  const { of: marketplaceOf, forJob: jobMarketplaceOf } = createAccountClients({
    accounts,
    marketplaces,
    incidents,
    jobs,
    logger,
    now,
    pauses,
  });
  const announcements = createAnnouncements(redis, logger, now);
  const channelSettings = createChannelSettings(redis, logger, auditWriter);
  const inboxChannels = createInboxChannels(redis, logger, auditWriter);
  const cardLines = createCardLines(redis);
  const routing = createChannelRouting({
    channelSettings,
    inboxChannels,
    lostChannels,
    messengerOf,
    now,
    subscriptions,
  });
  const tasks = createTasks(redis, logger, now, auditWriter, config.marketplace.timeZone);
  const evidence = createEvidence(redis, logger);
  const assignments = createAssignments(redis, { tasks, groupsOf: slackPeople.groupsOf, now });
  const deadLetterActs = createDeadLetterActs({
    choices: createDeadLetterChoices(redis, logger),
    stepOf: auditWriter,
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
    timeouts: parts.timeouts,
  };
  return {
    ...forSpending,
    spend: createSpending(forSpending),
    roleRequests: createRoleRequests(redis),
    sharedChannels,
    accounts,
    announcements,
    assignedNotices: createAssignedNotices(redis, logger, now),
    assignments,
    deadLetterActs,
    briefs: createBriefs(redis, logger),
    bulkRatings: createBulkRatings(redis, logger, now),
    bulkSelections: createBulkSelections(redis),
    campaigns,
    campaignStates: createCampaignStates(redis, logger),
    campaignNotices: createCampaignNotices(redis, logger, now),
    channelSettings,
    inboxChannels,
    fetchedFiles: createFetchedFiles(redis, now, logger),
    expiringTexts: createExpiringTexts(redis),
    focusSessions: createFocusSessions(redis),
    leases,
    cardWindows: createCardWindows(redis, now),
    digests: createDigests(redis, logger, auditWriter),
    queueMessages: createQueueMessages(redis, logger, now),
    outages: createAccountOutages(redis, logger),
    slackOutages: createSlackOutages(redis, logger),
    pauses,
    reasons: createReasons(redis, logger),
    refusals: createRefusals(redis),
    reminders: createReminders(redis, logger, now),
    renderNumbers: createRenderNumbers(redis),
    retentionMarks: createRetentionMarks(redis, logger),
    subscriptions,
    taskLeases: createTaskLeases(redis, {
      now,
      leaseMs: parts.timeouts.focusLeaseMs,
      queueMs: focusSessionMs,
    }),
    tasks,
    typedTexts: createTypedTexts(redis, logger, now),
    openTasks: createOpenTasks(redis),
    timesToRate,
    deadlines: createDeadlines({ timesToRate }),
    dailySummaries: createDailySummaries(redis, logger, now),
    reviewCounts: createReviewCounts(redis),
    memberDecisions: createMemberDecisions(redis),
    incidents,
    incompleteReads: createIncompleteReads(redis, logger),
    lostChannels,
    memberData: createMemberData(redis, accounts, assignments),
    memberLimits: createMemberLimits(redis, now),
    openedHomes,
    homeRefresh,
    cardLine: createCardLine({ cardLines, jobs, now, routing }),
    cardLines,
    evidence,
    findIndex: createFindIndex(redis),
    notes: createNotes(redis, tasks, logger),
    workers: createWorkers(redis, logger),

    redisRuns: createRedisRuns(redis, redrawMs),
    channelHealth: createChannelHealth({
      incidents,
      logger,
      pauses,
      now,
      checkLater: (workspace, channel) => queueChannelCheck({ jobs, lostAfterMs }, workspace, channel),
    }),
    routing,
    listings: createCampaignListings({ campaigns, marketplaceOf, logger }),
    memory: createMemoryBudget(memoryBudgetBytes),
    pictureReader: parts.pictureReader,
    rateLimiter,
    callSlackOf: createCallSlack(rateLimiter, pauses),
    marketplaceOf,
    jobMarketplaceOf,
    clientFor: marketplaces.clientFor,
    claimOnce: leases.claimOnce,

    zone: config.marketplace.timeZone,
    excludeMark: config.marketplace.excludeMark,
    pollSeconds: config.pollSeconds,
    undoSeconds: config.undoSeconds,
    openCards: config.openCards,
    sweepMs,
    noticeAfterMs,
    lostAfterMs,
    botUserId: parts.botUserId,

    timeouts: parts.timeouts,
    faults: parts.faults,
    logger,
    slackNow: parts.slackNow,
  };
}
