import { createSandboxMarketplace } from '@proofdesk/marketplace-sandbox';
import { marketplaceHandle, type Submission } from '@proofdesk/marketplace-sandbox/testing';
import { createSandboxSlack, type Workspace } from '@proofdesk/slack-sandbox';
import { type Seen, slackHandle } from '@proofdesk/slack-sandbox/testing';
import { type RunningApp, startApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config.ts';
import { createPictureReader, noPictures } from '../../src/features/evidence/picture-reader.ts';
import { defaultIntervals, type Faults, type Intervals } from '../../src/kit/modules.ts';
import { createLogger } from '../../src/logger.ts';
import { defaultTimeouts, type Timeouts } from '../../src/store/leases.ts';
import type { RateLimits } from '../../src/store/pauses.ts';
import type { ShiftedClock } from './clock.ts';
import { noteLogLine, noteReached, startFollowing } from './endpoint-usage.ts';
import { freePort } from './ports.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { recordViews } from './view-recorder.ts';

export type { FaultPoint } from '../../src/kit/modules.ts';

export type Transport = 'socket' | 'http';

/** The transports through which the bot can receive from Slack; flows run with each. */
export const transports: readonly Transport[] = ['socket', 'http'];

export interface WorldOptions {
  readonly transport?: Transport;
  /** The initial campaigns; by default none, so that each test defines its own. */
  readonly scenario?: unknown;
  /** Extra or changed settings of the bot; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Differences from the sandbox's own workspace. */
  readonly workspace?: Workspace;
  /** The intervals of slow periodic work; by default short enough for tests. */
  readonly intervals?: Partial<Intervals>;
  readonly timeouts?: Partial<Timeouts>;
  /** The rate limits for posting and reading; by default as fast as tests need. */
  readonly rateLimits?: Partial<RateLimits>;
  /** The clock of Redis; by default the machine's. */
  readonly redisClock?: ShiftedClock;
  /** The poll interval, which may be shorter than the environment variable allows. */
  readonly pollSeconds?: number;
  /** Called and awaited at every fault point; if it throws, the work ends there. */
  readonly faults?: Faults;
  /** There is a desk, at the bot's own address, with the page of this folder; by default none. */
  readonly deskFolder?: string;
  /** Whether it reads what pictures look like; by default not, because it needs another process. */
  readonly readsPictures?: boolean;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Fast enough for tests; other tests cover Slack's own limits. */
const testRateLimits: RateLimits = {
  channelMs: 5,
  workspaceMs: 5,
  limitedMs: 5,
  csvBytesPerMinute: 1_000_000_000,
};

const testIntervals: Intervals = {
  ...defaultIntervals,
  noticeAfterMs: 1_000,
  lostAfterMs: 100,
  queuePaceMs: 100,
};

/** Retries and checks for outdated data come soon enough for tests. */
const testTimeouts: Timeouts = {
  ...defaultTimeouts,
  firstRetryMs: 200,
  requeueAfterMs: 1_000,
  // Off, because scripted people click as fast as a double click.
  doubleClickMs: 0,
  // No load balancer sends it more.
  drainMs: 0,
};

/** Returns a pattern for a text with these words, of which none goes on. */
const reading = (words: string) =>
  new RegExp(`${words.replaceAll(/[^\p{L}\p{N} ]/gu, '.')}(?![\\p{L}\\p{N}])`, 'u');

/** Merges both, preferring the second. Getters are kept, because a test may change their values while the bot runs. */
function withGetters<T extends object>(base: T, other: Partial<T>): T {
  return Object.defineProperties({ ...base }, Object.getOwnPropertyDescriptors(other)) as T;
}

/** Creates everything on this machine: both sandboxes, a Redis and a bot, over real sockets. */
export async function createWorld(options: WorldOptions = {}) {
  startFollowing();
  const { transport = 'socket', pollSeconds = 0.4 } = options;
  const [redis, marketplace, slack, port] = await Promise.all([
    startRedis(options.redisClock ? { env: options.redisClock.env } : {}),
    createSandboxMarketplace({ scenario: (options.scenario ?? { campaigns: [] }) as never }),
    createSandboxSlack(options.workspace ? { workspace: options.workspace } : {}),
    freePort(),
  ]);
  const slackCalls = slackHandle(slack.url);
  const people = {
    ...slackCalls,
    async clearRequests() {
      recordViews(await slackCalls.requests());
      await slackCalls.clearRequests();
    },
  };
  const handle = marketplaceHandle(marketplace.url);
  const market = {
    ...handle,
    async clearRequests() {
      noteReached(await handle.requests());
      await handle.clearRequests();
    },
  };
  const { campaigns = [] } = (options.scenario ?? {}) as {
    campaigns?: { campaign_id?: string; status?: string }[];
  };
  const usual = campaigns.find(({ status }) => status === 'RUNNING') ?? campaigns[0];
  const usualCampaign = usual?.campaign_id === undefined ? {} : { campaign_id: usual.campaign_id };
  const ann = people.person('U01ANN');
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
    ...(options.deskFolder === undefined ? {} : { PUBLIC_URL: `http://127.0.0.1:${port}` }),
    ...options.env,
  };
  // People who connect their own key choose the channel of its inbox.
  if (!environment.MARKETPLACE_API_KEY) delete environment.INBOX_CHANNEL;
  // Everybody may do everything, unless a test is about permissions.
  if (environment.MARKETPLACE_API_KEY && !('ACCOUNT_OWNERS' in environment))
    environment.ACCOUNT_OWNERS = 'U01ANN,U02BEN,U03CHLOE';
  if (transport === 'http') await people.settings({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
  const bots = new Set<RunningApp>();

  /** @param more additions to the environment of a second bot, such as `PORT: '0'`, which is any free one */
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
        // A slow machine takes long to start the process that decodes.
        pictureReader: options.readsPictures
          ? createPictureReader({ logger, mostWaitMs: 110_000 })
          : noPictures,
        ...(options.deskFolder === undefined ? {} : { deskFolder: options.deskFolder }),
        ...(options.faults ? { faults: options.faults } : {}),
      },
    );
    bots.add(bot);
    return {
      ...bot,
      async stop() {
        bots.delete(bot);
        await bot.stop();
      },
    };
  }

  return {
    slack: people,
    slackUrl: slack.url,
    marketplace: market,
    marketplaceUrl: marketplace.url,
    redis: redis as TestRedis,
    port,
    environment,
    /** Every line that the bot has logged. */
    log,
    /** A worker submits a proof, to the first campaign that runs unless told otherwise. Returns the tasks. */
    submit: (proof: string, more: Submission = {}) =>
      market.submit({ ...usualCampaign, proof: [proof], ...more }),
    /** Does the same. Returns the task and its card in a channel. */
    async taskWithCard(proof: string, more: Submission = {}, channel = 'C01REVIEW') {
      const [task = ''] = await this.submit(proof, more);
      return { task, card: await ann.sees(channel, reading(proof)) };
    },
    async card(proof: string, more: Submission = {}, channel?: string): Promise<Seen> {
      return (await this.taskWithCard(proof, more, channel)).card;
    },
    /** Adds a campaign whose tasks have these proofs and wait, a minute apart. Returns the tasks, the oldest first. */
    async campaignWith(title: string, proofs: readonly string[]) {
      const money = { payment_per_task: '0.10000', available_positions: 100 };
      const { campaign_id } = await market.addCampaign({ title, status: 'RUNNING', ...money });
      const tasks: string[] = [];
      for (const [minute, proof] of proofs.entries()) {
        const finished_datetime = `2026-02-01 08:${String(minute).padStart(2, '0')}:00`;
        tasks.push(...(await this.submit(proof, { campaign_id, finished_datetime })));
      }
      return { campaign: campaign_id, tasks };
    },
    /** A worker who may submit, and has not yet. */
    async freshWorker() {
      const { workers, tasks } = await market.state();
      const used = new Set(tasks.map(({ worker_id }) => worker_id));
      const may = workers.filter((one) => !one.restricted && one.phone_validated && one.success_rate >= 50);
      const worker = may.find(({ worker_id }) => !used.has(worker_id));
      if (worker === undefined) throw new Error('no worker is left');
      return worker;
    },
    ratingOf: async (task: string) => (await market.task(task)).task_rating,
    /** What stands in a channel for everybody, and reads so. */
    posts: async (pattern: RegExp, channel = 'C01REVIEW') =>
      (await ann.reads(channel)).filter(({ text, ephemeral }) => !ephemeral && pattern.test(text)),
    /** What stands there of a kind: each `card`, `queue`, `reminder`… */
    postsOf: async (kind: string, channel = 'C01REVIEW') =>
      (await ann.reads(channel)).filter(({ raw }) => raw.metadata?.event_type === `proofdesk_${kind}`),
    ann,
    ben: people.person('U02BEN'),
    chloe: people.person('U03CHLOE'),
    /** Only where the workspace has one. */
    dan: people.person('U04DAN'),
    startBot,
    async stopBots(): Promise<void> {
      await Promise.all([...bots].map((bot) => bot.stop()));
      bots.clear();
    },
    /** Restarts the bot with another undo period: long for tests that undo, none for tests that send. */
    async setUndo(seconds: number): Promise<void> {
      environment.UNDO_SECONDS = String(seconds);
      await this.settled();
    },
    /**
     * Waits until all work in flight for people is done, by stopping the bot, which waits for it. Another bot then takes
     * over, so anything that is missing by now will never come.
     */
    async settled(): Promise<void> {
      await this.stopBots();
      await startBot();
    },
    async close(): Promise<void> {
      await this.stopBots();
      noteReached(await handle.requests());
      recordViews(await slackCalls.requests());
      await Promise.all([slack.close(), marketplace.close(), redis.stop()]);
    },
  };
}

/** Starts a world with its bot running. */
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
