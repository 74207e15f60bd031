import { Cluster, Redis, type RedisOptions, SentinelConnector } from 'ioredis';
import { readAnswersBeforeTimeouts } from './answers-before-timeouts.ts';
import { parseRedisAddress } from './redis-address.ts';
import { refusalCode } from './redis-errors.ts';
import { sendScriptsByHash } from './scripts-by-hash.ts';
import { batchWrites } from './write-batches.ts';

/** Timeout of a store command. Submitting a form must be answered within 3 seconds, even while Redis hangs. */
const storeTimeoutMs = 1_500;

/** Wait of a queue worker before a refused command is sent again (ms). */
const refusalDelayMs = 1_000;

/** Timeout for one sentinel to name the primary, before the next one is asked (ms). */
const sentinelTimeoutMs = 1_000;

/** Timeout for connecting to a primary that the sentinels name (ms): its host may be gone. */
const connectTimeoutMs = 3_000;

/** Returns the backoff before an attempt to reconnect (ms). Attempts never end. */
const reconnect = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

/**
 * Opens a connection for the store's commands. They fail within seconds while Redis is unreachable, so that a click still
 * gets an answer.
 * @param url as in REDIS_URL, see {@link parseRedisAddress}
 */
export function openRedis(url: string): Redis {
  const redis = open(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: storeTimeoutMs,
    skipVersionCheck: true,
  });
  readAnswersBeforeTimeouts(redis);
  sendScriptsByHash(redis);
  batchWrites(redis);
  return redis;
}

/**
 * Opens a connection for BullMQ, whose commands wait while Redis is unreachable.
 * @param mayInfo whether Redis lets us run INFO; without it, delayed jobs run up to a second later
 */
export function openQueueRedis(url: string, mayInfo: boolean): Redis {
  return open(url, {
    maxRetriesPerRequest: null,
    skipVersionCheck: !mayInfo,
    enableReadyCheck: mayInfo,
  });
}

/**
 * Opens a connection for BullMQ's workers, whose commands also wait while Redis refuses them, so that no job stays active
 * because its end cannot be stored. Otherwise a worker would ask for its next job immediately: a Redis without memory had to
 * refuse 30,000 commands per second.
 */
export function openWorkerRedis(url: string, mayInfo: boolean): Redis {
  const redis = openQueueRedis(url, mayInfo);
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, ...where) => {
    const { reject } = command;
    command.reject = (error) => {
      // A command of a transaction or pipeline cannot be sent alone.
      if (refusalCode(error) === undefined || command.pipelineIndex !== undefined) return reject(error);
      if (redis.listenerCount('error') > 0) redis.emit('error', error);
      setTimeout(() => void send(command), refusalDelayMs);
    };
    return send(command, ...where);
  };
  return redis;
}

interface ConnectionOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly commandTimeout?: number;
  /** Read by BullMQ, which otherwise runs INFO. */
  readonly skipVersionCheck?: boolean;
  /** Runs INFO on each new connection. */
  readonly enableReadyCheck?: boolean;
}

function open(url: string, options: ConnectionOptions): Redis {
  const address = parseRedisAddress(url);
  if (address.kind === 'single') return new Redis(address.url, { ...options, retryStrategy: reconnect });
  const { username, password, tls } = address;
  const login = {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(tls ? { tls: {} } : {}),
  };
  if (address.kind === 'sentinel') {
    const { sentinels, name, db } = address;
    return new Redis({
      ...options,
      ...login,
      sentinels: [...sentinels],
      name,
      db,
      retryStrategy: reconnect,
      sentinelRetryStrategy: reconnect,
      sentinelReconnectStrategy: reconnect,
      sentinelCommandTimeout: sentinelTimeoutMs,
      // Ends the connections to the old primary when the sentinels announce another one: a primary that hangs, or that the
      // sentinels cannot reach, would keep them. BullMQ's blocking connections are copies of this one and do the same.
      failoverDetector: true,
      connectTimeout: connectTimeoutMs,
      Connector: sentinelConnector as unknown as NonNullable<RedisOptions['Connector']>,
      // A demoted primary refuses writes. The command fails, and the next one finds the new primary.
      reconnectOnError: (error) => /^(READONLY|UNBLOCKED) /.test(error.message),
    });
  }
  const cluster = new Cluster([...address.nodes], {
    redisOptions: { ...options, ...login },
    clusterRetryStrategy: reconnect,
    // While nodes fail over, a command is redirected up to this many times.
    maxRedirections: 32,
  });
  if (options.commandTimeout !== undefined) limitQueueTime(cluster, options.commandTimeout);
  // Both have the same commands, and keys used together share a hash tag (see keys.ts), so the store works with either.
  return cluster as unknown as Redis;
}

/** The parts of ioredis's connector that are changed here. */
interface SentinelParts {
  connect(...args: unknown[]): Promise<unknown>;
  connectToSentinel(...where: unknown[]): Redis;
  failoverDetector: { cleanup(): void } | null;
}

/**
 * Connects through the sentinels like ioredis, with two differences. The listener of the lost connection is removed before
 * the next attempt: if it received the failover during the attempt, it would cancel it, and ioredis would never try again.
 * And an unreachable sentinel is not logged at every attempt to reach it.
 */
function sentinelConnector(options: RedisOptions) {
  const connector = new SentinelConnector(options as ConstructorParameters<typeof SentinelConnector>[0]);
  const parts = connector as unknown as SentinelParts;
  const connect = parts.connect.bind(connector);
  parts.connect = (...args) => {
    parts.failoverDetector?.cleanup();
    parts.failoverDetector = null;
    return connect(...args);
  };
  const connectToSentinel = parts.connectToSentinel.bind(connector);
  parts.connectToSentinel = (...where) => connectToSentinel(...where).on('error', () => undefined);
  return connector;
}

/**
 * Limits how long a cluster's commands wait. ioredis starts a command's timeout only when a node has received it, so
 * commands would queue without a limit while no node is reachable. Here the timeout starts at once, and a timed-out command
 * is not sent later: its caller was told that it may not have been done. (ioredis itself resends pipelines, so one of those
 * may still be done; everything that matters is written by single scripts.)
 */
function limitQueueTime(cluster: Cluster, ms: number): void {
  const send = cluster.sendCommand.bind(cluster);
  cluster.sendCommand = (command, ...where) => {
    if (command.isSettled) return command.promise;
    command.setTimeout(ms);
    return send(command, ...where);
  };
}

export { isRedisUnavailable } from './redis-errors.ts';
