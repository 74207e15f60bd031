import { type RunningApp, startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { Faults } from '../../src/domain/fault-points.ts';
import { defaultIntervals, type Intervals } from '../../src/feature-context.ts';
import { noPictures, type PictureReader } from '../../src/features/shared/pictures/reader.ts';
import { createLogger } from '../../src/logger.ts';
import { createSandboxMarketplace } from '../../src/sandbox/marketplace/index.ts';
import type { Workspace } from '../../src/sandbox/slack/index.ts';
import { createSandboxSlack } from '../../src/sandbox/slack/index.ts';
import type { RateLimits } from '../../src/store/rate-limiter.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/timeouts.ts';
import type { ShiftedClock } from './clock.ts';
import { noteLogLine, noteReached, startFollowing } from './endpoint-usage.ts';
import { type MarketplaceHandle, marketplaceHandle } from './marketplace.ts';
import { freePort } from './ports.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { slackHandle } from './slack.ts';

export type Transport = 'socket' | 'http';

/** How the bot may be told to receive from Slack: flows run against each. */
export const transports: readonly Transport[] = ['socket', 'http'];

export interface WorldOptions {
  readonly transport?: Transport;
  /** Campaigns to begin with; by default none, so that a test says itself what there is. */
  readonly scenario?: unknown;
  /** Extra or other settings of the bot; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What differs in the workspace from the sandbox's own. */
  readonly workspace?: Workspace;
  /** How long Slack waits for an answer; by default longer than its 3 seconds, for a busy machine. */
  readonly slackAnswerMs?: number;
  /** How often what is slow happens; by default as often as a test can wait for. */
  readonly intervals?: Partial<Intervals>;
  readonly timeouts?: Partial<Timeouts>;
  /** How fast to post and read; by default as fast as a test needs it. */
  readonly rateLimits?: Partial<RateLimits>;
  /** The clock of Redis; by default the machine's. */
  readonly redisClock?: ShiftedClock;
  /** The time from one poll to the next; shorter than the environment can say. */
  readonly pollSeconds?: number;
  /** Called at every fault point: what it throws ends the work there, and the bot waits for it. */
  readonly faults?: Faults;
  /** Reads what pictures look like; by default nothing does, since that takes a process more. */
  readonly pictureReader?: PictureReader;
  /** Whether threads do what they do in production: by default they do not, which starts faster. */
  readonly inThreads?: boolean;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Posts come as fast as the test needs them; Slack's own limits are tested where they are the point. */
const testRateLimits: RateLimits = { channelMs: 5, workspaceMs: 5, csvBytesPerMinute: 1_000_000_000 };

const testIntervals: Intervals = {
  ...defaultIntervals,
  noticeAfterMs: 1_000,
  lostAfterMs: 100,
  sealAfterMs: 200,
};

/** What failed is tried again, and what is out of date looked at, as soon as a test can wait for. */
const testTimeouts: Timeouts = {
  ...defaultTimeouts,
  firstRetryMs: 200,
  requeueAfterMs: 1_000,
  // Scripted people are as quick as a double click.
  doubleClickMs: 0,
};

/** Returns both as one, the second first. A getter stays one: a test may change what it returns while the bot runs. */
function withGetters<T extends object>(base: T, other: Partial<T>): T {
  return Object.defineProperties({ ...base }, Object.getOwnPropertyDescriptors(other)) as T;
}

/** Everything on this machine: both sandboxes, a Redis and a bot, over real sockets. */
export async function createWorld(options: WorldOptions = {}) {
  startFollowing();
  const { transport = 'socket', pollSeconds = 0.4 } = options;
  const [redis, marketplace, slack, port] = await Promise.all([
    startRedis(options.redisClock ? { env: options.redisClock.env } : {}),
    createSandboxMarketplace({ scenario: (options.scenario ?? { campaigns: [] }) as never }),
    createSandboxSlack(options.workspace ? { workspace: options.workspace } : {}),
    freePort(),
  ]);
  const people = slackHandle(slack.url);
  const handle = marketplaceHandle(marketplace.url);
  const market: MarketplaceHandle = {
    ...handle,
    async clearRequests() {
      noteReached(await handle.requests());
      await handle.clearRequests();
    },
  };
  const log: string[] = [];
  const environment: Record<string, string | undefined> = {
    SLACK_BOT_TOKEN: 'xoxb-sandbox',
    ...(transport === 'socket'
      ? { SLACK_APP_TOKEN: 'xapp-sandbox' }
      : { SLACK_SIGNING_SECRET: 'sandbox-signing-secret' }),
    SLACK_API_URL: slack.apiUrl,
    MARKETPLACE_BASE_URL: marketplace.url,
    MARKETPLACE_API_KEY: 'employer-demo-key',
    REVIEW_CHANNEL: 'C01REVIEW',
    INBOX_CHANNEL: 'C01REVIEW',
    REDIS_URL: redis.url,
    PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    POLL_SECONDS: '1',
    UNDO_SECONDS: '0',
    PORT: String(port),
    ...options.env,
  };
  // Whoever connects a key of their own chooses where its inbox goes.
  if (!environment.MARKETPLACE_API_KEY) delete environment.INBOX_CHANNEL;
  // Everybody may do everything, unless a test is about who may what.
  if (environment.MARKETPLACE_API_KEY && !('ACCOUNT_OWNERS' in environment))
    environment.ACCOUNT_OWNERS = 'U01ANN,U02BEN,U03CHLOE';
  await people.settings({
    answerMs: options.slackAnswerMs ?? 10_000,
    ...(transport === 'http' ? { requestUrl: `http://127.0.0.1:${port}/slack/events` } : {}),
  });
  const bots = new Set<RunningApp>();

  /** @param more what the environment of a second bot has besides: its port */
  async function startBot(more: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
    const logger = createLogger('trace', [], {
      write(line: string) {
        log.push(line);
        noteLogLine(line);
      },
    });
    const bot = await startApp(
      { ...readConfig({ ...environment, ...more }), pollSeconds },
      {
        logger,
        rateLimits: { ...testRateLimits, ...options.rateLimits },
        intervals: { ...testIntervals, ...options.intervals },
        timeouts: withGetters(testTimeouts, options.timeouts ?? {}),
        pictureReader: options.pictureReader ?? noPictures,
        inThreads: options.inThreads ?? false,
        ...(options.faults ? { faults: options.faults } : {}),
      },
    );
    bots.add(bot);
    return bot;
  }

  return {
    slack: people,
    slackUrl: slack.url,
    marketplace: market,
    marketplaceUrl: marketplace.url,
    redis: redis as TestRedis,
    port,
    environment,
    /** Every line the bot has logged. */
    log,
    ann: people.person('U01ANN'),
    ben: people.person('U02BEN'),
    chloe: people.person('U03CHLOE'),
    startBot,
    async stopBots(): Promise<void> {
      await Promise.all([...bots].map((bot) => bot.stop()));
      bots.clear();
    },
    /** Starts the bot again, with another time to undo: long for a person who undoes, none for what is to be sent. */
    async setUndo(seconds: number): Promise<void> {
      environment.UNDO_SECONDS = String(seconds);
      await this.settled();
    },
    /**
     * Waits until all that is under way for people is done: a stop waits for it. Another bot goes on, so that what is
     * not there by now never comes.
     */
    async settled(): Promise<void> {
      await this.stopBots();
      await startBot();
    },
    async close(): Promise<void> {
      await this.stopBots();
      noteReached(await handle.requests());
      await Promise.all([slack.close(), marketplace.close(), redis.stop()]);
    },
  };
}

/** A world with its bot running. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(options);
  try {
    await world.startBot();
    return world;
  } catch (error) {
    await world.close();
    throw error;
  }
}
