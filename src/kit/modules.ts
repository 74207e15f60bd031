import type { Redis } from 'ioredis';
import type { Config } from '../app/config.ts';
import type { Task } from '../domain/task.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../domain/terms.ts';
import { createCampaignListings } from '../features/campaigns/listings.ts';
import { createDeadlines } from '../features/cards/details.ts';
import { createProofFiles } from '../features/cards/transfer.ts';
import {
  createChannelHealth,
  createChannelRouting,
  createSharedChannels,
} from '../features/channels/routing.ts';
import type { PictureReader } from '../features/evidence/picture-reader.ts';
import { needsPeople } from '../features/home/attention.ts';
import { createAccountClients, type Marketplaces } from '../features/people/account-clients.ts';
import type { MessageKind } from '../jobs/catalogue.ts';
import type { Jobs } from '../jobs/queue.ts';
import type { Logger } from '../logger.ts';
import { createCallSlack } from '../slack/client.ts';
import type { Messenger } from '../slack/messenger.ts';
import type { Accounts } from '../store/accounts.ts';
import { createAssignments } from '../store/assignments.ts';
import { type AuditWriter, createAudit } from '../store/audit.ts';
import { createBriefs, createCampaignStates, createCampaigns } from '../store/campaigns.ts';
import { createCardLines, createCardWindows } from '../store/cards.ts';
import {
  createChannelSettings,
  createDigests,
  createInboxChannels,
  createLostChannels,
  type Subscriptions,
} from '../store/channels.ts';
import { createMemberDecisions, createReviewCounts } from '../store/decisions.ts';
import { createDeskSessions } from '../store/desk.ts';
import {
  createBulkSelections,
  createExpiringTexts,
  createFocusSessions,
  createTypedTexts,
  focusSessionMs,
} from '../store/drafts.ts';
import { createEvidence } from '../store/evidence.ts';
import { createFetchedFiles } from '../store/fetched-files.ts';
import { createFindIndex } from '../store/find.ts';
import { type AccountLeases, createTaskLeases, type Timeouts } from '../store/leases.ts';
import {
  createAnnouncements,
  createApprovalMessages,
  createAssignedNotices,
  createBulkRatings,
  createCampaignNotices,
  createDailySummaries,
  createOpenedHomes,
  createQueueMessages,
  createReminders,
  createRenderNumbers,
  createRoleRequestMessages,
  type OnChange,
} from '../store/messages.ts';
import { createNotes } from '../store/notes.ts';
import {
  createIncidents,
  createIncompleteReads,
  createOutages,
  createRateLimiter,
  type Pauses,
  type RateLimits,
} from '../store/pauses.ts';
import { createPeople } from '../store/people.ts';
import { createReasons, createRefusals } from '../store/reasons.ts';
import { createRedisMemory, createRedisRuns } from '../store/redis.ts';
import { createMemberData, createRetentionMarks } from '../store/retention.ts';
import {
  createApprovals,
  createGrants,
  createMemberLimits,
  createRoleRequests,
  createSpendingStore,
} from '../store/rights.ts';
import { createOpenTasks, createTasks, createTimesToRate, type TaskChange } from '../store/tasks.ts';
import { createWorkers } from '../store/workers.ts';
import { createAccess, createSlackPeople } from './access.ts';
import { createMemoryBudget, memoryBudgetBytes } from './budgets.ts';
import { createCardLine, createHomeRefresh } from './live-message.ts';

/** Intervals and durations, in ms. */
export const defaultIntervals = {
  /** Every active campaign is imported in full once per interval, whatever its counts are. */
  sweepMs: 600_000,
  /** People are told of an outage that lasts longer than this. */
  noticeAfterMs: 60_000,
  /** A channel is lost, and its cards move, once it was unreachable for this long: somebody, or Slack, may have erred. */
  lostAfterMs: 10_000,
  /** A channel's reminder of tasks that are due is updated at most once per interval. */
  reminderPaceMs: 60_000,
  /** A channel's message about waiting tasks is updated at most once per interval. */
  queuePaceMs: 15_000,
  /** Interval of the search for data that need not be stored any more. */
  retentionMs: 3_600_000,
  /**
   * Every process makes sure once in this time that all repeating jobs exist (Redis may have lost them), that its key is
   * taken, and that the app is still installed.
   */
  schedulersMs: 60_000,
  /** Cards are redrawn for a new run of Redis at most once per interval. */
  redrawMs: 600_000,
};
export type Intervals = Readonly<typeof defaultIntervals>;

/** Memory for files that were just shown at the desk (bytes). */
const deskFilesBytes = 24 * 1024 * 1024;

/** What a process gives: what it was configured with, and what other parts of it use too. */
export interface ModuleParts {
  readonly config: Config;
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
  readonly pictureReader: PictureReader;
  readonly botUserOf: (workspace: WorkspaceId) => Promise<MemberId | undefined>;
  readonly now: () => number;
  readonly slackNow: () => number;
  /** Called after each change of a task. */
  readonly onTaskChange?: ((change: TaskChange) => void) | undefined;
  readonly logger: Logger;
}

/** Creates the stores of which the modules are made, beside what the process gives. */
function createStores(parts: ModuleParts) {
  const { config, redis, auditWriter, logger, now, onTaskChange } = parts;
  return {
    ...parts,
    campaigns: createCampaigns(redis, logger, now),
    cardLines: createCardLines(redis),
    channelSettings: createChannelSettings(redis, logger, auditWriter),
    grants: createGrants(redis, logger, auditWriter),
    inboxChannels: createInboxChannels(redis, logger, auditWriter),
    lostChannels: createLostChannels(redis, logger, auditWriter),
    openedHomes: createOpenedHomes(redis),
    people: createPeople(redis),
    tasks: createTasks(redis, logger, now, auditWriter, config.marketplace.timeZone, onTaskChange),
  };
}
export type Stores = ReturnType<typeof createStores>;

/**
 * What features are made of, by subject. A feature is given all of it and takes what it needs. Types are inferred:
 * what a part does stands where it is created.
 */
export type Modules = ReturnType<typeof createModules>;

/** Creates the modules: the stores on Redis, and what is built directly on them. */
export function createModules(parts: ModuleParts) {
  const stores = createStores(parts);
  const { config, redis, accounts, pauses, subscriptions, leases, marketplaces, messengerOf, auditWriter } =
    parts;
  const { campaigns: campaignStore, cardLines, grants, tasks: taskStore } = stores;
  const { jobs: queue, logger: log, now, rateLimits, timeouts } = parts;
  const { sweepMs, noticeAfterMs, lostAfterMs, redrawMs } = parts.intervals;
  const { timeZone: zone, excludeMark } = config.marketplace;

  const clock = {
    /** Current time (ms), shared by all processes: Redis's, see store/redis.ts. */
    now,
    /** Current time by Slack's clock (ms), exact to about a second. */
    slackNow: parts.slackNow,
    undoSeconds: config.undoSeconds,
    noticeAfterMs,
  };

  /** Queues the message of a record that has changed. */
  const show =
    (kind: MessageKind): OnChange =>
    ({ workspace, account }, id) =>
      queue.add('show', { workspace, account, kind, id }, { uniqueKey: `${account} ${kind} ${id}` });

  const homes = createHomeRefresh(stores);
  const incidents = createIncidents(
    redis,
    log,
    async (workspace: WorkspaceId, name: string) => {
      if (needsPeople(name)) await homes.all(workspace);
    },
    now,
  );
  const slackPeople = createSlackPeople(stores);
  const approvals = {
    ...createApprovals(redis, log),
    messages: createApprovalMessages(redis, log, now, show('approval')),
  };
  const shared = createSharedChannels(stores, incidents);
  const routing = createChannelRouting(stores, shared);

  /** Every record of what people did, and the counts of decisions that became ratings. */
  const audit = { ...createAudit(redis, auditWriter), reviewCounts: createReviewCounts(redis) };

  const timesToRate = createTimesToRate(redis, log);
  const tasks = {
    ...taskStore,
    open: createOpenTasks(redis),
    assignments: createAssignments(redis, taskStore, now),
    leases: createTaskLeases(redis, { now, leaseMs: timeouts.focusLeaseMs, queueMs: focusSessionMs }),
    notes: createNotes(redis, taskStore, log),
    timesToRate,
    deadlines: createDeadlines(timesToRate),
    typedTexts: createTypedTexts(redis, log, now),
    focusSessions: createFocusSessions(redis),
    /** Confirmed bulk ratings, and the selections that lead to them. */
    bulkRatings: createBulkRatings(redis, log, now, show('bulk')),
    bulkSelections: createBulkSelections(redis),
  };

  const clients = createAccountClients(stores, incidents);
  const memory = createMemoryBudget(memoryBudgetBytes);
  const marketplace = {
    ...clients,
    /** Returns a client for a key that is not stored (yet). */
    clientFor: marketplaces.clientFor,
    zone,
    excludeMark,
    pollSeconds: config.pollSeconds,
    sweepMs,
    outages: createOutages(redis, 'marketplace', log),
    pauses,
    memory,
    fetchedFiles: createFetchedFiles(redis, now, log),
    proofFile: createProofFiles(memory, config.desk === undefined ? 0 : deskFilesBytes),
    pictureReader: parts.pictureReader,
  };

  const campaigns = {
    ...campaignStore,
    listings: createCampaignListings(stores, clients.of),
    states: createCampaignStates(redis, log),
    briefs: createBriefs(redis, log),
    reasons: createReasons(redis, log),
    refusals: createRefusals(redis),
    workers: createWorkers(redis, log),
    evidence: createEvidence(redis, log),
    findIndex: createFindIndex(redis),
    incompleteReads: createIncompleteReads(redis, log),
  };

  const messages = {
    announcement: createAnnouncements(redis, log, now, show('announcement')),
    waiting: createQueueMessages(redis, log, now, show('waiting')),
    due: createReminders(redis, log, now, show('due')),
    daily: createDailySummaries(redis, log, now, show('daily')),
    campaignNotice: createCampaignNotices(redis, log, now, show('campaignNotice')),
    assigned: createAssignedNotices(redis, log, now, show('assigned')),
    bulk: tasks.bulkRatings,
    approval: approvals.messages,
    roleRequest: createRoleRequestMessages(redis, log, now, show('roleRequest')),
  };
  /** The queue of jobs, and what keeps them from running twice or for ever. */
  const jobs = {
    ...queue,
    /** Resolves true for the first process that claims a name (within an hour), such as a delivery's id. */
    claimOnce: leases.claimOnce,
    leases,
    timeouts,
    faults: parts.faults,
    redisRuns: createRedisRuns(redis, redrawMs),
    redisMemory: createRedisMemory(redis),
    retentionMarks: createRetentionMarks(redis, log),
    incidents,
    expiringTexts: createExpiringTexts(redis),
  };

  const rateLimiter = createRateLimiter(redis, rateLimits, now);
  const slack = {
    messengerOf,
    callOf: createCallSlack(rateLimiter, pauses),
    rateLimiter,
    botUserOf: parts.botUserOf,
    outages: createOutages(redis, 'slack', log),
    messages,
    announcements: messages.announcement,
    /** Queues cards to be drawn, those just clicked first. */
    cards: {
      ...createCardLine(stores, routing.forCampaign),
      /** Returns the link to a task's card; undefined if it has none. */
      linkTo: async ({ workspace }: Pick<AccountRef, 'workspace'>, { card }: Pick<Task, 'card'>) =>
        card.state === 'posted' ? messengerOf(workspace).permalink(card) : undefined,
    },
    cardLines,
    reminders: messages.due,
    queueMessages: messages.waiting,
    dailySummaries: messages.daily,
    assignedNotices: messages.assigned,
    renderNumbers: createRenderNumbers(redis),
    homes,
  };

  const channels = {
    subscriptions,
    settings: stores.channelSettings,
    routing,
    health: createChannelHealth(stores, incidents),
    shared,
    lost: stores.lostChannels,
    lostAfterMs,
    inbox: stores.inboxChannels,
    windows: createCardWindows(redis, now),
    openCards: config.openCards,
    digests: createDigests(redis, log, auditWriter),
  };

  const people = {
    access: createAccess(stores, slackPeople),
    accounts,
    grants,
    roleRequests: {
      ...createRoleRequests(redis),
      messages: messages.roleRequest,
    },
    limits: createMemberLimits(redis, now),
    approvals,
    spending: createSpendingStore(redis, zone, log),
    slack: slackPeople,
    decisions: createMemberDecisions(redis),
    data: createMemberData(redis, accounts, tasks.assignments),
    openedHomes: stores.openedHomes,
    /** Links to the desk, and sessions at it. `url`: where it is; undefined without one. */
    desk: { ...createDeskSessions(redis), ...config.desk },
  };

  return { tasks, campaigns, people, channels, marketplace, slack, jobs, audit, clock, log };
}

/**
 * The moments just before and after what must not happen twice (a post, a rating, an act that costs money). A process may
 * die at each; tests end it there, and verify that nothing is lost or done twice.
 */
export type FaultPoint =
  | 'attempt stored, not posted'
  | 'posted, not recorded'
  | 'claimed, not sent'
  | 'sent, not recorded'
  | 'act claimed, not sent'
  | 'act sent, not recorded';

/** Called and awaited at every fault point; if it throws, the work ends there. */
export type Faults = (passing: FaultPoint) => Promise<void> | void;

/** The faults of production: none. */
export const noFaults: Faults = () => undefined;
