import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { messageOf, UserError } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import type { Messenger } from '../slack/messenger.ts';
import { connectionRefusal, SlackError } from '../slack/slack-error.ts';
import { loadEncryptionKeys } from '../store/encryption.ts';
import { startPrivateRedis } from '../store/private-redis.ts';
import { claimData, forbiddenCommands, forbiddenText } from '../store/redis.ts';
import type { Config } from './config.ts';

/** Functions that close resources when the bot stops, run last to first. */
type Closing = (() => Promise<unknown>)[];

/** Returns the address of Redis and the encryption keys: the configured ones, or private ones under DATA_DIR. */
export async function resolveStorage(config: Config, logger: Logger, closing: Closing) {
  if (config.redisUrl) return { redisUrl: config.redisUrl, encryptionKeys: await loadEncryptionKeys(config) };
  const privateRedis = await startPrivateRedis({ dataDir: config.dataDir, logger });
  closing.push(() => privateRedis.stop());
  return { redisUrl: privateRedis.url, encryptionKeys: await loadEncryptionKeys(config) };
}

/** Logs a connection's errors and closes it at the end. */
export function manageConnection(redis: Redis, logger: Logger, closing: Closing): Redis {
  const warn = createThrottledWarning(logger);
  redis.on('error', (error) => warn({ reason: messageOf(error) }, 'Redis unreachable'));
  closing.push(async () => redis.disconnect());
  return redis;
}

export const redisUnreachable = 'Redis cannot be reached. Work resumes once it can.';

/**
 * Waits until Redis answers, without a timeout: it may start later than this process. Throws UserError when Redis refuses
 * the password, or commands that the bot needs, or has data of a newer version.
 */
export async function waitForRedis(
  redis: Redis,
  signal: AbortSignal,
  onWait: (reason: string) => void,
): Promise<void> {
  for (;;) {
    try {
      await redis.ping();
      const forbidden = await forbiddenCommands(redis);
      if (forbidden.length > 0) throw new UserError(`Redis cannot be used: ${forbiddenText(forbidden)}`);
      await claimData(redis);
      return;
    } catch (error) {
      if (error instanceof UserError) throw error;
      if (/^(WRONGPASS|NOAUTH)/.test(messageOf(error))) {
        throw new UserError('Redis does not accept the user name or password in REDIS_URL. Correct them.');
      }
      onWait(redisUnreachable);
      await delay(500, undefined, { signal });
    }
  }
}

/**
 * Returns the bot's identity in Slack. Waits without a timeout while Slack is unreachable. Throws UserError when Slack
 * refuses.
 */
export async function identifyBot(
  messenger: Messenger,
  logger: Logger,
  signal: AbortSignal,
  onWait: (reason: string) => void,
) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await messenger.identity();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (signal.aborted) throw error;
      if (error.kind === 'refused') throw new UserError(connectionRefusal('auth.test', error.code));
      const wait = Math.max(error.retryAfterMs, Math.min(1_000 * 2 ** attempt, 30_000));
      onWait(`Slack cannot be reached (${error.code}); trying again.`);
      logger.warn({ code: error.code, wait }, 'Slack unreachable');
      await delay(wait, undefined, { signal });
    }
  }
}

/** Tracks work in progress, so that a stop can wait for it. */
export function trackWork() {
  const underWay = new Set<Promise<unknown>>();
  return {
    track<T>(work: Promise<T>): Promise<T> {
      underWay.add(work);
      const done = () => underWay.delete(work);
      work.then(done, done);
      return work;
    },
    /** Waits for what is in progress now. */
    current: () => Promise.allSettled(underWay),
    /** Waits until nothing is in progress. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/** Time limits of a stop: for work in progress, and then for everything to close (ms). 10 s must be enough for both. */
export const stopTimeoutMs = 6_000;
/** How long a stop receives from Slack while jobs end (ms): the rest of its time is for what was received. */
export const acceptTimeoutMs = 3_000;
const closeAllTimeoutMs = 3_000;

/** Finishes work in progress, then closes everything, also when the first fails. */
export async function finishAndClose(
  finish: () => Promise<unknown>,
  close: () => Promise<unknown>,
): Promise<void> {
  try {
    await withTimeLimit(stopTimeoutMs, finish);
  } finally {
    await withTimeLimit(closeAllTimeoutMs, close);
  }
}

/** Runs something and resolves when it is done, after `ms` at the latest. */
export async function withTimeLimit(ms: number, run: () => Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const limit = delay(ms, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([run(), limit]).finally(() => ended.abort());
}
