import type { Redis } from 'ioredis';
import type { Config } from './config.ts';
import type { Faults } from './domain/fault-points.ts';
import type { AccountRef, WorkspaceId } from './domain/terms.ts';
import { NotConnected } from './errors.ts';
import { connectPrompt } from './features/accounts/accounts.view.ts';
import { createAccountsFeature } from './features/accounts/index.ts';
import { createBacklog } from './features/backlog/index.ts';
import { createCampaignCommands } from './features/campaigns/index.ts';
import { createListings } from './features/campaigns/listing.ts';
import { createCards } from './features/cards/index.ts';
import { createCreateFeature } from './features/create/index.ts';
import { createDecide } from './features/decide/index.ts';
import { createRecovery } from './features/decide/recover.ts';
import { createSend } from './features/decide/send.ts';
import { createInboxNews } from './features/detect/inbox-news.ts';
import { createDetect } from './features/detect/index.ts';
import { createFiles } from './features/files/index.ts';
import { createGivenUp } from './features/given-up/index.ts';
import { createHome } from './features/home/index.ts';
import { createInbox } from './features/inbox/index.ts';
import { createSubmitFeature } from './features/submit/index.ts';
import { createChannels } from './features/subscriptions/channels.ts';
import { createSubscriptionsFeature } from './features/subscriptions/index.ts';
import { createWorkerSide } from './features/worker-side/index.ts';
import { createWorkersFeature } from './features/workers/index.ts';
import { createInTurn } from './in-turn.ts';
import type { Jobs } from './jobs/queue.ts';
import type { JobHandlers } from './jobs/worker.ts';
import type { Logger } from './logger.ts';
import { MarketplaceError, TransportError } from './marketplace/index.ts';
import { sentenceFor } from './marketplace/sentences.ts';
import type { Marketplaces } from './marketplaces.ts';
import type { Message } from './slack/blocks.ts';
import { help } from './slack/commands.ts';
import type { Feature } from './slack/feature.ts';
import type { Messenger } from './slack/messenger.ts';
import { date, escaped } from './slack/mrkdwn.ts';
import { notice } from './slack/notice.ts';
import { commandTable } from './slack/plumbing.ts';
import type { Accounts } from './store/accounts.ts';
import { createAnnouncements } from './store/announcements.ts';
import { createAudit } from './store/audit.ts';
import { createCampaigns } from './store/campaigns.ts';
import { createFetchedFiles } from './store/fetched-files.ts';
import { createKept } from './store/kept.ts';
import type { Locks } from './store/locks.ts';
import { createNotices } from './store/notices.ts';
import { createPace, type PaceLimits } from './store/pace.ts';
import type { Patience } from './store/patience.ts';
import { createPlannedRetargets } from './store/planned-retargets.ts';
import { isRedisAway } from './store/redis.ts';
import { createRevisions } from './store/revisions.ts';
import type { Subscriptions } from './store/subscriptions.ts';
import { createTasks } from './store/tasks.ts';
import { createTimesToRate } from './store/times-to-rate.ts';
import { createTroubles } from './store/trouble.ts';
import { createWorkers } from './store/workers.ts';

/** How often what is slow happens, in ms. */
export interface Rhythm {
  /** Every active campaign is read in full once in this time, whatever its counts say. */
  readonly sweepMs: number;
  /** A channel or workspace that could not be spoken to is left alone for this long. */
  readonly restMs: number;
}

export const defaultRhythm: Rhythm = { sweepMs: 600_000, restMs: 60_000 };

export interface Ground {
  readonly config: Pick<Config, 'pollSeconds' | 'undoSeconds' | 'marketplace'>;
  readonly redis: Redis;
  readonly accounts: Accounts;
  readonly subscriptions: Subscriptions;
  readonly locks: Locks;
  readonly jobs: Jobs;
  readonly marketplaces: Marketplaces;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  readonly pace: PaceLimits;
  readonly rhythm: Rhythm;
  readonly patience: Patience;
  readonly faults: Faults;
  readonly botUserId: string;
  readonly logger: Logger;
}

/** All features, put together on the ground that they share. */
export function createFeatures(ground: Ground) {
  const { config, redis, accounts, subscriptions, locks, jobs, marketplaces, messengerOf, logger } = ground;
  const { patience, faults } = ground;
  const { sweepMs, restMs } = ground.rhythm;
  const now = Date.now;
  const marketplaceOf = (ref: AccountRef) => marketplaces.of(ref);
  const tasks = createTasks(redis, faults);
  const campaigns = createCampaigns(redis);
  const announcements = createAnnouncements(redis);
  const workers = createWorkers(redis);
  const troubles = createTroubles(redis);
  const notices = createNotices(redis);
  const pace = createPace(redis, ground.pace);
  const inTurnOf = createInTurn(pace);
  const kept = createKept(redis);
  const zone = config.marketplace.timeZone;
  const shared = {
    zone,
    timesToRate: createTimesToRate(redis),
    accounts,
    tasks,
    campaigns,
    subscriptions,
    announcements,
    workers,
    jobs,
    marketplaceOf,
    messengerOf,
    patience,
    faults,
    logger,
    now,
  };

  const channels = createChannels({ ...shared, troubles, restMs });
  const inboxNews = createInboxNews(shared);
  const detect = createDetect({ ...shared, troubles, locks, pace, notices, inbox: inboxNews, sweepMs });
  const startLooking = async (ref: AccountRef) => {
    await detect.startLooking(ref, config.pollSeconds);
    await campaignCommands.resume(ref);
  };
  const cards = createCards({ ...shared, inTurnOf, channels, restMs });
  const decide = createDecide({
    ...shared,
    recover: createRecovery(shared),
    undoSeconds: config.undoSeconds,
  });
  const send = createSend(shared);
  const inbox = createInbox({
    ...shared,
    inTurnOf,
    channels,
    firstDelivery: locks.once,
  });
  const backlog = createBacklog({
    ...shared,
    notices,
    inTurnOf,
    restMs,
    firstDelivery: (id: string) => locks.once('backlog', id),
  });

  const campaignCommands = createCampaignCommands({
    ...shared,
    plans: createPlannedRetargets(redis),
    audit: createAudit(redis),
    firstDelivery: (id: string) => locks.once('campaigns', id),
    excludeMark: config.marketplace.excludeMark,
  });

  const listings = createListings(shared);
  const home = createHome({
    ...shared,
    revisions: createRevisions(redis),
    listings,
    help: () => help(commandTable(features)),
  });

  const features: Feature[] = [
    campaignCommands.feature,
    createCreateFeature({
      ...shared,
      kept,
      once: locks.once,
    }),
    createSubmitFeature({ ...shared, kept, listings, once: locks.once }),
    createSubscriptionsFeature({ ...shared, channels, startLooking, botUserId: ground.botUserId }),
    createAccountsFeature({
      ...shared,
      clientFor: marketplaces.clientFor,
      intents: decide,
      changed: home.refresh,
    }),
    cards.feature,
    decide.feature,
    inbox.feature,
    createWorkersFeature({ ...shared, firstDelivery: locks.once }),
    createWorkerSide({ ...shared, firstDelivery: locks.once }),
    createFiles({ ...shared, fetched: createFetchedFiles(redis, now) }),
    backlog.feature,
    createGivenUp(shared),
    home.feature,
  ];
  const handlers: JobHandlers = {
    ...detect.jobs,
    ...cards.jobs,
    ...send.jobs,
    ...inbox.jobs,
    ...backlog.jobs,
    ...campaignCommands.jobs,
  };
  return { features, handlers, startLooking, explain };
}

const redisAway =
  'The bot cannot reach its own memory (Redis) at present, so this may not have been taken. Nothing that a card showed as decided is lost. Look again in a minute, and repeat what is not shown by then; if it stays so, tell your administrator.';

/** What people are told of an error that they can do something about. */
function explain(error: unknown): Message | undefined {
  if (error instanceof NotConnected) return connectPrompt(error.intent);
  if (error instanceof MarketplaceError || error instanceof TransportError) {
    return notice(sentenceFor(error, (at) => date(at), escaped));
  }
  if (isRedisAway(error)) return notice(redisAway);
  return undefined;
}
