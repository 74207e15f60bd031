import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../errors.ts';
import { readPage } from '../features/desk/files.ts';
import { createDeskPages, type DeskPages } from '../features/desk/http.ts';
import { createPictureReader, type PictureReader } from '../features/evidence/picture-reader.ts';
import { appRemoved, createAppRemoval, createWorkspaceRemovals } from '../features/ops/departures.ts';
import { createMarketplaces } from '../features/people/account-clients.ts';
import { createSharedAccount } from '../features/people/shared-account.ts';
import { createJobs, startJobRunners } from '../jobs/queue.ts';
import { defaultIntervals, type Faults, type Intervals, noFaults } from '../kit/modules.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { clientOptions, createSlackClock, slackLogger } from '../slack/client.ts';
import { createEventRetry } from '../slack/events.ts';
import { connectBolt, createHttpReceiver, createSocketReceiver } from '../slack/receiver.ts';
import { createAccounts } from '../store/accounts.ts';
import { createAuditWriter } from '../store/audit.ts';
import { createSubscriptions } from '../store/channels.ts';
import { createTaskNews } from '../store/desk.ts';
import { createVault } from '../store/encryption.ts';
import { createFailingJobs } from '../store/failing-jobs.ts';
import { createAccountLeases, defaultTimeouts, type Timeouts } from '../store/leases.ts';
import { createPauses, defaultRateLimits, type RateLimits } from '../store/pauses.ts';
import { createClock, mayReadInfo, openQueueRedis, openRedis } from '../store/redis.ts';
import { createWorkspaceData } from '../store/retention.ts';
import type { Config } from './config.ts';
import { createFeatures } from './features.ts';
import { createHealth, type Readiness, redisProblem } from './health.ts';
import { createRequestListener, listen } from './http-server.ts';
import {
  acceptTimeoutMs,
  finishAndClose,
  manageConnection,
  resolveStorage,
  stopTimeoutMs,
  trackWork,
  waitForRedis,
  withTimeLimit,
} from './lifecycle.ts';
import { createMetrics } from './metrics.ts';
import type { UnexpectedErrors } from './unexpected-errors.ts';
import { createInstalledWorkspaces, findWorkspace } from './workspaces.ts';

/** The parts that may differ between compositions besides the configuration. */
export interface Parts {
  readonly logger: Logger;
  /** How fast to post and read; by default Slack's limits. */
  readonly rateLimits?: RateLimits;
  readonly intervals?: Intervals;
  readonly timeouts?: Timeouts;
  /** Called at the points where a process may die; for tests. */
  readonly faults?: Faults;
  /** Analyzes pictures; by default in a separate process, where possible. */
  readonly pictureReader?: PictureReader;
  /** The uncaught errors, for `/readyz`. */
  readonly unexpectedErrors?: Pick<UnexpectedErrors, 'problem'>;
  /** The folder of the desk's built page; by default beside the program, or in dist. */
  readonly deskFolder?: string;
  /** Aborts a start that still waits for Redis or Slack. */
  readonly signal?: AbortSignal;
}

export interface RunningApp {
  /** The port that serves health checks and, in HTTP mode, Slack's requests. */
  readonly port: number;
  /** Finishes work in progress and stops. */
  stop(): Promise<void>;
}

/** Returns the folder of the desk's page: beside the built program, or where it is built when that runs from its sources. */
function builtDesk(): string {
  const beside = fileURLToPath(new URL('./desk', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/desk', import.meta.url));
}

/** Time limit of closing one part (ms). */
const closeTimeoutMs = 1_000;

/**
 * Composes the bot and starts it: Redis, stores, jobs, features, Slack.
 * Throws UserError when something it needs is refused: a token, a data folder, a port.
 */
export async function startApp(
  config: Config,
  {
    logger,
    signal,
    rateLimits = defaultRateLimits,
    intervals = defaultIntervals,
    timeouts = defaultTimeouts,
    faults = noFaults,
    pictureReader = createPictureReader({ logger }),
    unexpectedErrors,
    deskFolder = builtDesk(),
  }: Parts,
): Promise<RunningApp> {
  const closing: (() => Promise<unknown>)[] = [];
  const work = trackWork();
  const ending = new AbortController();
  const readiness: Readiness = { problem: 'Starting.', pauses: undefined };
  const waits = (reason: string) => {
    readiness.problem = reason;
  };

  async function closeAll(): Promise<void> {
    for (const close of closing.reverse()) {
      await withTimeLimit(closeTimeoutMs, close).catch((error: unknown) =>
        logger.warn({ reason: messageOf(error) }, 'close failed'),
      );
    }
  }

  try {
    const page = config.desk && readPage(deskFolder);
    let desk: DeskPages | undefined;
    const metrics = config.hasMetrics ? createMetrics(config) : undefined;
    const { transport, apiUrl } = config.slack;
    const receiver =
      transport.mode === 'http'
        ? createHttpReceiver(transport.signingSecret, logger, metrics?.acked)
        : createSocketReceiver({
            appToken: transport.appToken,
            apiUrl,
            hasProxy: config.proxy !== undefined,
            logger,
            onAck: metrics?.acked,
          });
    const { redisUrl, encryptionKeys } = await resolveStorage(config, logger, closing);
    const redis = manageConnection(openRedis(redisUrl), logger, closing);
    const leases = createAccountLeases(redis);
    const slackClock = createSlackClock();
    const clock = createClock(redis);
    closing.push(async () => clock.stop());
    const auditWriter = createAuditWriter({ now: clock.now, logger });
    const vault = createVault(encryptionKeys);
    const accounts = createAccounts(redis, vault, logger, auditWriter);
    const subscriptions = createSubscriptions(redis, logger, auditWriter);
    const probeMs = timeouts.marketplaceMs + timeouts.firstRetryMs;
    const pauses = createPauses(redis, { now: clock.now, firstMs: timeouts.firstRetryMs, probeMs }, logger);

    const options = {
      ...clientOptions(config.slack.apiUrl, slackLogger(logger), timeouts.slackMs),
      fetch: slackClock.fetch,
    };
    const slackParts = { options, pauses, logger, now: clock.now, onCall: metrics?.slackCalled };
    const several =
      config.slack.install &&
      createInstalledWorkspaces(config.slack.install, { ...slackParts, redis, vault });
    const health = createHealth(readiness, {
      unexpected: () => unexpectedErrors?.problem(),
      redis: () => redisProblem(redis),
      slackConnection: () => receiver.problem(),
      tokens: several ? 'oauth.v2.access' : 'auth.test',
    });
    const requestListener = createRequestListener({
      health,
      metrics: metrics?.scrape,
      slack: receiver.requests,
      install: several?.pages,
      desk: page && (() => desk?.serve),
      logger,
    });
    const { port, close: closePort } = await listen(config, requestListener);
    closing.push(closePort);
    const until = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
    await waitForRedis(redis, until, waits);
    await clock.measure();
    const workspaces = several ?? (await findWorkspace(config.slack.botToken, slackParts, until, waits));
    const [only, installed] = 'workspace' in workspaces ? [workspaces] : [undefined, workspaces];
    readiness.pauses = async () => {
      const paused = (await workspaces.all()).map(async (workspace) => {
        await workspaces.check(workspace);
        return [...(await pauses.all(workspace))];
      });
      return (await Promise.all(paused)).flat();
    };
    const workspaceData = createWorkspaceData(redis);
    if (only) await workspaceData.recordInstalled(only.workspace);
    // Once every process has started with the first encryption key, no other is needed.
    await several?.installations.reseal();
    for (const workspace of await workspaces.all()) {
      const keys = (await accounts.reseal(workspace)).filter((result) => result === 'resealed').length;
      if (keys > 0) logger.info({ event: 'api-keys-sealed', keys }, 'sealed with the first encryption key');
    }
    const mayInfo = await mayReadInfo(redis);
    const queueRedis = manageConnection(openQueueRedis(redisUrl, mayInfo), logger, closing);
    const failing = createFailingJobs(redis, clock.now, logger);
    const jobs = createJobs(queueRedis, logger, failing);
    closing.push(() => jobs.close());
    const marketplaces = createMarketplaces(
      config,
      logger,
      timeouts.marketplaceMs,
      rateLimits.marketplacePerSecond,
      metrics?.marketplaceCalled,
    );
    closing.push(() => marketplaces.close());
    const warnOfNews = createThrottledWarning(logger);
    const news =
      page &&
      createTaskNews(
        redis,
        () => manageConnection(openRedis(redisUrl), logger, closing),
        (error) => warnOfNews({ reason: messageOf(error) }, 'the desk was not told of a change'),
      );
    const { approvals, context, features, handlers, retention, audit, startPolling, explain, deskActs } =
      createFeatures({
        config,
        redis,
        auditWriter,
        accounts,
        pauses,
        subscriptions,
        leases,
        jobs,
        marketplaces,
        messengerOf: workspaces.messengerOf,
        rateLimits,
        intervals,
        timeouts,
        faults,
        pictureReader,
        botUserOf: workspaces.botUserOf,
        now: clock.now,
        slackNow: slackClock.now,
        onTaskChange(change) {
          metrics?.taskChanged(change);
          // What no card shows, such as that one was posted, is no news for pages either.
          const { after, before, event, ref } = change;
          const isCompared = event.type === 'images-uploaded' && after.before !== undefined;
          if (isCompared || before?.revision !== after.revision) news?.tell(ref, after.id);
        },
        logger,
      });
    if (config.desk && page && news)
      desk = createDeskPages({ ...deskActs, ...config.desk, page, news, explain, track: work.track });
    closing.push(async () => desk?.stop());
    metrics?.watch(context, workspaces.all);
    const sharedAccount =
      only && createSharedAccount(config, { ...context, redis, workspace: only.workspace });
    await sharedAccount?.connect();
    const startSchedulers = async () => {
      for (const ref of await subscriptions.polledAccounts()) await startPolling(ref);
      for (const workspace of await workspaces.all()) {
        await audit.start(workspace);
        await retention.start(workspace);
      }
    };
    await startSchedulers();
    for (const workspace of await workspaces.all()) await approvals.start(workspace);
    const workers = startJobRunners(
      manageConnection(openQueueRedis(redisUrl, mayInfo), logger, closing),
      handlers,
      failing,
      logger,
      timeouts,
    );
    const removal = only
      ? createAppRemoval({
          workspace: only.workspace,
          data: workspaceData,
          jobs,
          identity: only.identity,
          async retire() {
            // Data stored for the workspace from now on would never be erased.
            readiness.problem = appRemoved;
            readiness.pauses = undefined;
            await withTimeLimit(stopTimeoutMs, workers.stop);
          },
          now: clock.now,
          logger,
        })
      : createWorkspaceRemovals({ ...installed, data: workspaceData, jobs, logger });
    await connectBolt({
      apiUrl,
      receiver,
      authorize: workspaces.authorize,
      logger,
      listenerParts: {
        features,
        access: context.people.access,
        messengerOf: workspaces.messengerOf,
        claimOnce: async (workspace, id) => !removal.isRetired() && leases.claimOnce(workspace, id),
        onAppRemoved: removal.onAppRemoved,
        isRetired: removal.isRetired,
        explain,
        logger,
        track: work.track,
        retryEvent: createEventRetry({
          logger,
          track: work.track,
          signal: ending.signal,
          firstRetryMs: timeouts.firstRetryMs,
        }),
      },
    });
    // Redis may have lost the repeating jobs, or everything (FLUSHALL).
    const schedulers = setInterval(() => {
      const restored = async () => {
        await several?.refreshTokens();
        await removal.check();
        if (removal.isRetired()) return;
        await sharedAccount?.connect();
        await startSchedulers();
      };
      restored().catch((error: unknown) =>
        logger.warn({ reason: messageOf(error) }, 'repeating jobs not checked'),
      );
    }, intervals.schedulersMs);
    closing.push(async () => {
      ending.abort();
      clearInterval(schedulers);
    });
    // Closed before everything else: nothing may be acked any more that could not be processed.
    closing.push(async () => receiver.stop());
    const abortConnection = () => void receiver.stop();
    signal?.addEventListener('abort', abortConnection);
    await receiver.start();
    signal?.removeEventListener('abort', abortConnection);
    if (!removal.isRetired()) readiness.problem = undefined;
    logger.info({ port, workspace: only?.workspace }, 'bot ready');

    return {
      port,
      async stop() {
        readiness.problem = 'Stopping.';
        desk?.stop();
        await finishAndClose(async () => {
          const jobsEnded = workers.stop();
          // What comes meanwhile is still answered, and ends in time: no job may take all of it.
          await Promise.all([
            withTimeLimit(acceptTimeoutMs, () => Promise.all([work.current(), jobsEnded])),
            transport.mode === 'http' && delay(timeouts.drainMs),
          ]);
          await receiver.stop();
          ending.abort();
          await Promise.all([work.settled(), jobsEnded]);
        }, closeAll);
        logger.info('bot stopped');
      },
    };
  } catch (error) {
    ending.abort();
    await closeAll();
    throw error;
  }
}
