import type { Faults } from '../../domain/fault-points.ts';
import type { AccountRef, MemberId, TaskId, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Logger } from '../../logger.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { AccountLeases } from '../../store/account-leases.ts';
import type { AccountOutages } from '../../store/account-outages.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Announcements } from '../../store/announcements.ts';
import type { Approvals } from '../../store/approvals.ts';
import type { AssignedNotices } from '../../store/assigned-notices.ts';
import type { Assignments } from '../../store/assignments.ts';
import type { Audit } from '../../store/audit/index.ts';
import type { Breakers } from '../../store/breakers.ts';
import type { Briefs } from '../../store/briefs.ts';
import type { BulkRatings } from '../../store/bulk-ratings.ts';
import type { BulkSelections } from '../../store/bulk-selections.ts';
import type { CampaignNotices } from '../../store/campaign-notices.ts';
import type { CampaignStates } from '../../store/campaign-states.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { CardWindows } from '../../store/card-windows.ts';
import type { ChannelSettingsStore } from '../../store/channel-settings.ts';
import type { DailySummaries } from '../../store/daily-summaries.ts';
import type { DataEpochs } from '../../store/data-epoch.ts';
import type { DecisionCounts } from '../../store/decision-counts.ts';
import type { Digests } from '../../store/digests.ts';
import type { Evidence } from '../../store/evidence.ts';
import type { ExpiringTexts } from '../../store/expiring-texts.ts';
import type { FetchedFiles } from '../../store/fetched-files.ts';
import type { FindIndex } from '../../store/find-index.ts';
import type { FocusSessions } from '../../store/focus-sessions.ts';
import type { FormerSummaries } from '../../store/former-summaries.ts';
import type { Grants } from '../../store/grants.ts';
import type { InboxChannels } from '../../store/inbox-channels.ts';
import type { Incidents } from '../../store/incidents.ts';
import type { IncompleteReads } from '../../store/incomplete-reads.ts';
import type { LostChannels } from '../../store/lost-channels.ts';
import type { MemberData } from '../../store/member-data.ts';
import type { MemberDecisions } from '../../store/member-decisions.ts';
import type { MemberLimits } from '../../store/member-limits.ts';
import type { MemberSettings } from '../../store/member-settings.ts';
import type { Notes } from '../../store/notes.ts';
import type { OpenTasks } from '../../store/open-tasks.ts';
import type { OpenedHomes } from '../../store/opened-homes.ts';
import type { PlannedRetargets } from '../../store/planned-retargets.ts';
import type { QueueMessages } from '../../store/queue-messages.ts';
import type { CallSlackOf, RateLimiter } from '../../store/rate-limiter.ts';
import type { Reasons } from '../../store/reasons.ts';
import type { Refusals } from '../../store/refusals.ts';
import type { Reminders } from '../../store/reminders.ts';
import type { RenderNumbers } from '../../store/render-numbers.ts';
import type { Replication } from '../../store/replication.ts';
import type { RetentionMarks } from '../../store/retention-marks.ts';
import type { ReviewCounts } from '../../store/review-counts.ts';
import type { RoleRequests } from '../../store/role-requests.ts';
import type { SecondLooks } from '../../store/second-looks.ts';
import type { SlackOutages } from '../../store/slack-outages.ts';
import type { SpendingStore } from '../../store/spending.ts';
import type { Subscriptions } from '../../store/subscriptions.ts';
import type { TaskLeases } from '../../store/task-leases.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { ThreadAnswers } from '../../store/thread-answers.ts';
import type { Timeouts } from '../../store/timeouts.ts';
import type { TimesToRate } from '../../store/times-to-rate.ts';
import type { TypedTexts } from '../../store/typed-texts.ts';
import type { Workers } from '../../store/workers.ts';
import type { Access } from './access.ts';
import type { CampaignListings } from './campaign-listings.ts';
import type { CardUpdateLine } from './card-updates.ts';
import type { ChannelHealth } from './channel-health.ts';
import type { ChannelRouting } from './channel-routing.ts';
import type { Comparison } from './comparison/comparison.ts';
import type { DataRecovery } from './data-recovery.ts';
import type { DeadLetterActs } from './dead-letter-acts.ts';
import type { Deadlines } from './deadline.ts';
import type { ViewBudget } from './focus-frame.ts';
import type { HomeRefresh } from './home-refresh.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { PictureReader } from './pictures/reader.ts';
import type { SharedChannels } from './shared-channels.ts';
import type { SlackPeople } from './slack-people.ts';
import type { Spend } from './spending.ts';

/**
 * Everything that features are built from. Each takes the part it uses: `Pick<FeatureContext, 'tasks' | 'jobs'>`.
 */
export interface FeatureContext {
  /** Decides who may do what. */
  readonly access: Access;
  readonly accounts: Accounts;
  readonly announcements: Announcements;
  readonly approvals: Approvals;
  /** What members are told of the tasks that they have. */
  readonly assignedNotices: AssignedNotices;
  /** Who has which task. */
  readonly assignments: Assignments;
  readonly audit: Audit;
  /** What campaigns ask of their workers. */
  readonly briefs: Briefs;
  /** What was confirmed for many tasks together, and the selections that lead to it. */
  readonly bulkRatings: BulkRatings;
  readonly bulkSelections: BulkSelections;
  readonly campaigns: Campaigns;
  /** Which channels are told what waits, without cards. */
  readonly digests: Digests;
  /** The statuses of campaigns as they were confirmed, and what channels are told of them. */
  readonly campaignStates: CampaignStates;
  readonly campaignNotices: CampaignNotices;
  /** How each channel is used, and what is muted there. */
  readonly channelSettings: ChannelSettingsStore;
  /** What tasks have in common. */
  readonly evidence: Evidence;
  /** Compares tasks with all others of their account. */
  readonly comparison: Comparison;
  readonly fetchedFiles: FetchedFiles;
  /** Finds tasks by what they say. */
  readonly findIndex: FindIndex;
  readonly expiringTexts: ExpiringTexts;
  readonly focusSessions: FocusSessions;
  readonly leases: AccountLeases;
  /** Which open tasks have a card in which channel, and which wait for one. */
  readonly cardWindows: CardWindows;
  /** What earlier versions have left of their summaries. */
  readonly formerSummaries: FormerSummaries;
  /** What is told of tasks that wait, per channel and campaign. */
  readonly queueMessages: QueueMessages;
  /** Retries and discards dead letters. */
  readonly deadLetterActs: DeadLetterActs;
  readonly breakers: Breakers;
  /** The outages of accounts, whose marketplace does not work. */
  readonly outages: AccountOutages;
  /** Removes what is stored of one member. */
  readonly memberData: MemberData;
  /** What a channel is told of tasks that run out. */
  readonly reminders: Reminders;
  readonly plannedRetargets: PlannedRetargets;
  /** The saved reasons of accounts. */
  readonly reasons: Reasons;
  /** Who was refused for which saved reason lately. */
  readonly refusals: Refusals;
  readonly renderNumbers: RenderNumbers;
  /** What was searched for data that are no longer to be stored. */
  readonly retentionMarks: RetentionMarks;
  readonly roleRequests: RoleRequests;
  /** Tells which channels are shared with another company. */
  readonly sharedChannels: SharedChannels;
  readonly slackOutages: SlackOutages;
  /** What is known of people in Slack. */
  readonly slackPeople: SlackPeople;
  /** Tells whether a decision would survive the loss of Redis's primary. */
  readonly replication: Replication;
  /** Stands between people and the account's money. */
  readonly spend: Spend;
  readonly spendingStore: SpendingStore;
  readonly subscriptions: Subscriptions;
  /** Who looks at which task in focus review. */
  readonly taskLeases: TaskLeases;
  readonly tasks: Tasks;
  /** The bot's answers to replies that rated, while they may still change. */
  readonly threadAnswers: ThreadAnswers;
  /** The open tasks by when they run out. */
  readonly openTasks: OpenTasks;
  readonly timesToRate: TimesToRate;
  /** What was typed into forms about tasks and not sent. */
  readonly typedTexts: TypedTexts;
  /** When the time to rate tasks runs out. */
  readonly deadlines: Deadlines;
  readonly grants: Grants;
  /** What was reviewed in each channel in a day. */
  readonly dailySummaries: DailySummaries;
  readonly decisionCounts: DecisionCounts;
  readonly secondLooks: SecondLooks;
  /** Returns the number, from 0 up to 1, by which it is drawn whether a round of a task waits for a second look. */
  readonly lookDraw: (ref: AccountRef, task: TaskId, round: number) => number;
  /** How many decisions became ratings, for those summaries. */
  readonly reviewCounts: ReviewCounts;
  /** What members decided last. */
  readonly memberDecisions: MemberDecisions;
  /** Where the inboxes of accounts go. */
  readonly inboxChannels: InboxChannels;
  readonly incidents: Incidents;
  readonly incompleteReads: IncompleteReads;
  readonly lostChannels: LostChannels;
  /** What single members have set for themselves. */
  readonly memberSettings: MemberSettings;
  /** What single members may ask for. */
  readonly memberLimits: MemberLimits;
  readonly notes: Notes;
  readonly openedHomes: OpenedHomes;
  /** Has cards updated, those that somebody has clicked first. */
  readonly cardUpdateLine: CardUpdateLine;
  /** Has home tabs that are open published again. */
  readonly homeRefresh: HomeRefresh;
  readonly workers: Workers;
  /** How many updates of views may be made that a person can do without. */
  readonly viewBudget: ViewBudget;

  readonly epochs: DataEpochs;
  readonly recovery: DataRecovery;
  readonly channelHealth: ChannelHealth;
  /** Which channel a message goes to. */
  readonly routing: ChannelRouting;
  /** The campaigns of an account, as the marketplace lists them now or as last seen. */
  readonly listings: CampaignListings;
  readonly jobs: Jobs;
  /** What files and results may take of this process's memory. */
  readonly memory: MemoryBudget;
  /** Reads what pictures look like. */
  readonly pictureReader: PictureReader;
  readonly rateLimiter: RateLimiter;
  readonly callSlackOf: CallSlackOf;
  /** The client of an account. Throws NotConnected when nobody holds its key. */
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  /** The same for a job. Throws `Unavailable` while the marketplace fails and only probes may be made. */
  readonly jobMarketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  /** A client for a key that is not stored (yet). */
  readonly clientFor: (key: string) => MarketplaceClient;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** Resolves true for the first process that claims a name (within an hour), such as a delivery's id; false after that. */
  readonly claimOnce: (workspace: WorkspaceId, name: string) => Promise<boolean>;

  /** IANA zone of the marketplace's datetimes. */
  readonly zone: string;
  /** The mark of an excluded country at the marketplace. */
  readonly excludeMark: string;
  readonly pollSeconds: number;
  readonly undoSeconds: number;
  /** Where a rating can be corrected on the marketplace's website, with `{task}` and `{campaign}` in it. */
  readonly correctionUrl: string | undefined;
  /** The most open cards in a channel whose settings say nothing else; 0 for any number. */
  readonly openCards: number;
  /** Every active campaign is read in full once in this time (ms), whatever its counts say. */
  readonly sweepMs: number;
  /** People are told of an outage that lasts longer than this (ms). */
  readonly noticeAfterMs: number;
  /** How long a channel must have been lost before its cards move (ms): somebody may have erred, or Slack. */
  readonly lostAfterMs: number;
  readonly botUserId: MemberId;

  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly logger: Logger;
  /** The time, the same in every process: Redis's, see store/clock.ts. */
  readonly now: () => number;
  /** How far Slack's clock is ahead of `now` (ms); undefined while that is not known. */
  readonly slackAheadOf: (now: number) => number | undefined;
}
