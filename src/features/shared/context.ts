import type { Faults } from '../../domain/fault-points.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Logger } from '../../logger.ts';
import type { ClosableMarketplaceClient, MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Assignments } from '../../store/assignments.ts';
import type { Audit } from '../../store/audit.ts';
import type { Briefs, CampaignStates, Campaigns } from '../../store/campaigns.ts';
import type { CardLines, CardWindows } from '../../store/cards.ts';
import type { ChannelSettingsStore, LostChannels } from '../../store/channels.ts';
import type { MemberDecisions, ReviewCounts } from '../../store/decisions.ts';
import type { BulkSelections, ExpiringTexts, FocusSessions, TypedTexts } from '../../store/drafts.ts';
import type { Evidence } from '../../store/evidence.ts';
import type { FetchedFiles } from '../../store/fetched-files.ts';
import type { FindIndex } from '../../store/find.ts';
import type { OpenedHomes, RenderNumbers } from '../../store/homes.ts';
import type { AccountLeases, TaskLeases, Timeouts } from '../../store/leases.ts';
import type { CallSlackOf, MemberLimits, RateLimiter } from '../../store/limits.ts';
import type {
  Announcements,
  AssignedNotices,
  BulkRatings,
  CampaignNotices,
  DailySummaries,
  QueueMessages,
  Reminders,
} from '../../store/messages.ts';
import type { Notes } from '../../store/notes.ts';
import type { AccountOutages, Incidents, IncompleteReads, SlackOutages } from '../../store/outages.ts';
import type { Pauses } from '../../store/pauses.ts';
import type { Reasons, Refusals } from '../../store/reasons.ts';
import type { RedisRuns } from '../../store/redis.ts';
import type { MemberData, RetentionMarks } from '../../store/retention.ts';
import type { Grants, RoleRequests } from '../../store/rights.ts';
import type { Approvals, SpendingStore } from '../../store/spending.ts';
import type { Digests, InboxChannels, Subscriptions } from '../../store/subscriptions.ts';
import type { OpenTasks, Tasks, TimesToRate } from '../../store/tasks.ts';
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
  /** Current time, shared by all processes: Redis's, see store/redis.ts. */
  readonly now: () => number;
  /** Current time by Slack's clock (ms), exact to about a second. */
  readonly slackNow: () => number;
}
