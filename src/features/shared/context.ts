import type { Faults } from '../../domain/fault-points.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Logger } from '../../logger.ts';
import type { ClosableMarketplaceClient, MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { AccountLeases } from '../../store/account-leases.ts';
import type { AccountOutages } from '../../store/account-outages.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Announcements } from '../../store/announcements.ts';
import type { Approvals } from '../../store/approvals.ts';
import type { AssignedNotices } from '../../store/assigned-notices.ts';
import type { Assignments } from '../../store/assignments.ts';
import type { Audit } from '../../store/audit/index.ts';
import type { Briefs } from '../../store/briefs.ts';
import type { BulkRatings } from '../../store/bulk-ratings.ts';
import type { BulkSelections } from '../../store/bulk-selections.ts';
import type { CampaignNotices } from '../../store/campaign-notices.ts';
import type { CampaignStates } from '../../store/campaign-states.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { CardLines } from '../../store/card-lines.ts';
import type { CardWindows } from '../../store/card-windows.ts';
import type { ChannelSettingsStore } from '../../store/channel-settings.ts';
import type { DailySummaries } from '../../store/daily-summaries.ts';
import type { Digests } from '../../store/digests.ts';
import type { Evidence } from '../../store/evidence.ts';
import type { ExpiringTexts } from '../../store/expiring-texts.ts';
import type { FetchedFiles } from '../../store/fetched-files.ts';
import type { FindIndex } from '../../store/find-index.ts';
import type { FocusSessions } from '../../store/focus-sessions.ts';
import type { Grants } from '../../store/grants.ts';
import type { InboxChannels } from '../../store/inbox-channels.ts';
import type { Incidents } from '../../store/incidents.ts';
import type { IncompleteReads } from '../../store/incomplete-reads.ts';
import type { LostChannels } from '../../store/lost-channels.ts';
import type { MemberData } from '../../store/member-data.ts';
import type { MemberDecisions } from '../../store/member-decisions.ts';
import type { MemberLimits } from '../../store/member-limits.ts';
import type { Notes } from '../../store/notes.ts';
import type { OpenTasks } from '../../store/open-tasks.ts';
import type { OpenedHomes } from '../../store/opened-homes.ts';
import type { Pauses } from '../../store/pauses.ts';
import type { QueueMessages } from '../../store/queue-messages.ts';
import type { CallSlackOf, RateLimiter } from '../../store/rate-limiter.ts';
import type { Reasons } from '../../store/reasons.ts';
import type { RedisRuns } from '../../store/redis-runs.ts';
import type { Refusals } from '../../store/refusals.ts';
import type { Reminders } from '../../store/reminders.ts';
import type { RenderNumbers } from '../../store/render-numbers.ts';
import type { RetentionMarks } from '../../store/retention-marks.ts';
import type { ReviewCounts } from '../../store/review-counts.ts';
import type { RoleRequests } from '../../store/role-requests.ts';
import type { SlackOutages } from '../../store/slack-outages.ts';
import type { SpendingStore } from '../../store/spending.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { TaskLeases } from '../../store/task-leases.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Timeouts } from '../../store/timeouts.ts';
import type { TimesToRate } from '../../store/times-to-rate.ts';
import type { TypedTexts } from '../../store/typed-texts.ts';
import type { Workers } from '../../store/workers.ts';
import type { Access } from './access.ts';
import type { CampaignListings } from './campaign-listings.ts';
import type { CardLine } from './card-line.ts';
import type { ChannelHealth } from './channel-health.ts';
import type { ChannelRouting } from './channel-routing.ts';
import type { DeadLetterActs } from './dead-letter-acts.ts';
import type { Deadlines } from './deadline.ts';
import type { HomeRefresh } from './home-refresh.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { PictureReader } from './pictures/reader.ts';
import type { SharedChannels } from './shared-channels.ts';
import type { SlackPeople } from './slack-people.ts';
import type { Spend } from './spending.ts';

/** Everything features are built from. Each picks what it uses: `Pick<FeatureContext, 'tasks' | 'jobs'>`. */
export interface FeatureContext {
  /** Checks who may do what. */
  readonly access: Access;
  readonly accounts: Accounts;
  readonly announcements: Announcements;
  readonly approvals: Approvals;
  /** Notifications to members about their assigned tasks. */
  readonly assignedNotices: AssignedNotices;
  /** Which tasks are assigned to whom. */
  readonly assignments: Assignments;
  readonly audit: Audit;
  /** What campaigns ask of their workers. */
  readonly briefs: Briefs;
  /** Confirmed bulk ratings, and the selections that lead to them. */
  readonly bulkRatings: BulkRatings;
  readonly bulkSelections: BulkSelections;
  readonly campaigns: Campaigns;
  /** Which channels get digests instead of cards. */
  readonly digests: Digests;
  /** Confirmed campaign statuses, and what channels were told of them. */
  readonly campaignStates: CampaignStates;
  readonly campaignNotices: CampaignNotices;
  /** The mode and muted notices of each channel. */
  readonly channelSettings: ChannelSettingsStore;
  /** What tasks have in common. */
  readonly evidence: Evidence;
  readonly fetchedFiles: FetchedFiles;
  /** Full-text search of tasks. */
  readonly findIndex: FindIndex;
  readonly expiringTexts: ExpiringTexts;
  readonly focusSessions: FocusSessions;
  readonly leases: AccountLeases;
  /** Which open tasks have a card in which channel, and which wait for one. */
  readonly cardWindows: CardWindows;
  /** Messages about waiting tasks, per channel and campaign. */
  readonly queueMessages: QueueMessages;
  /** Retries and discards dead letters. */
  readonly deadLetterActs: DeadLetterActs;
  readonly pauses: Pauses;
  /** Outages per account, while its marketplace fails. */
  readonly outages: AccountOutages;
  /** Deletes the stored data of one member. */
  readonly memberData: MemberData;
  /** Reminders to channels about tasks that are due. */
  readonly reminders: Reminders;
  /** The saved reasons of accounts. */
  readonly reasons: Reasons;
  /** Recent refusals by saved reason. */
  readonly refusals: Refusals;
  readonly renderNumbers: RenderNumbers;
  /** Progress of the search for data past their retention. */
  readonly retentionMarks: RetentionMarks;
  readonly roleRequests: RoleRequests;
  /** Knows which channels are shared with another company. */
  readonly sharedChannels: SharedChannels;
  readonly slackOutages: SlackOutages;
  /** Cached facts about people in Slack. */
  readonly slackPeople: SlackPeople;
  /** Guards the account's money: roles, limits, approvals. */
  readonly spend: Spend;
  readonly spendingStore: SpendingStore;
  readonly subscriptions: Subscriptions;
  /** Leases of tasks in focus review. */
  readonly taskLeases: TaskLeases;
  readonly tasks: Tasks;
  /** Open tasks by the time they are due. */
  readonly openTasks: OpenTasks;
  readonly timesToRate: TimesToRate;
  /** Unsent text typed into forms about tasks. */
  readonly typedTexts: TypedTexts;
  /** When tasks are due. */
  readonly deadlines: Deadlines;
  readonly grants: Grants;
  /** Daily review summaries per channel. */
  readonly dailySummaries: DailySummaries;
  /** Counts of decisions that became ratings, for those summaries. */
  readonly reviewCounts: ReviewCounts;
  /** Recent decisions per member. */
  readonly memberDecisions: MemberDecisions;
  /** The inbox channel of each account. */
  readonly inboxChannels: InboxChannels;
  readonly incidents: Incidents;
  readonly incompleteReads: IncompleteReads;
  readonly lostChannels: LostChannels;
  /** Rate limits of individual members. */
  readonly memberLimits: MemberLimits;
  readonly notes: Notes;
  readonly openedHomes: OpenedHomes;
  /** Queues cards to be drawn, those just clicked first. */
  readonly cardLine: CardLine;
  readonly cardLines: CardLines;
  /** Republishes open home tabs. */
  readonly homeRefresh: HomeRefresh;
  readonly workers: Workers;

  /** Knows whether Redis was restarted, failed over or restored. */
  readonly redisRuns: RedisRuns;
  readonly channelHealth: ChannelHealth;
  /** Chooses the channel of a message. */
  readonly routing: ChannelRouting;
  /** An account's campaigns, from the marketplace or as last seen. */
  readonly listings: CampaignListings;
  readonly jobs: Jobs;
  /** Memory budget of this process for files and results. */
  readonly memory: MemoryBudget;
  /** Computes perceptual prints of pictures. */
  readonly pictureReader: PictureReader;
  readonly rateLimiter: RateLimiter;
  readonly callSlackOf: CallSlackOf;
  /** Returns the client of an account. Throws NotConnected when nobody holds its key. */
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  /** Returns the client for a job. Throws `Unavailable` while its calls pause. */
  readonly jobMarketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  /** Returns a client for a key that is not stored (yet). */
  readonly clientFor: (key: string) => ClosableMarketplaceClient;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /**
   * Resolves true for the first process that claims a name (within an hour), such as a delivery's id; false afterwards.
   */
  readonly claimOnce: (workspace: WorkspaceId, name: string) => Promise<boolean>;

  /** IANA zone of the marketplace's datetimes. */
  readonly zone: string;
  /** Prefix that marks an excluded country at the marketplace. */
  readonly excludeMark: string;
  readonly pollSeconds: number;
  readonly undoSeconds: number;
  /** Default maximum of open cards per channel; 0 means no limit. */
  readonly openCards: number;
  /** Interval in which every active campaign is read in full (ms), even if its counts are unchanged. */
  readonly sweepMs: number;
  /** Outages longer than this are announced (ms). */
  readonly noticeAfterMs: number;
  /** How long a channel must be lost before its cards move (ms), in case of a mistake by somebody or by Slack. */
  readonly lostAfterMs: number;
  readonly botUserId: MemberId;

  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly logger: Logger;
  /** Current time, shared by all processes: Redis's, see store/clock.ts. */
  readonly now: () => number;
  /** Current time by Slack's clock (ms), exact to about a second. */
  readonly slackNow: () => number;
}
