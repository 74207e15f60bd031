import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { parseRedisAddress } from './redis-address.ts';
import { scripts } from './scripts.ts';

/** Timeout of a store command. Submitting a form must be answered within 3 seconds, even while Redis hangs. */
const storeTimeoutMs = 1_500;

/** A connection on which Redis owes an answer for longer than this is replaced (ms). */
const silentTimeoutMs = 5_000;

/** The same for BullMQ, whose workers let Redis wait with an answer for up to 10 seconds. */
const silentQueueTimeoutMs = 15_000;

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
  return open(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: storeTimeoutMs,
    socketTimeout: silentTimeoutMs,
    skipVersionCheck: true,
    // Commands of one turn of the event loop travel together.
    enableAutoPipelining: true,
    scripts,
  });
}

/** Waits until a new connection can be used. Throws its first error. */
export async function untilReady(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready');
}

/**
 * Opens a connection for BullMQ, whose commands wait while Redis is unreachable.
 * @param mayInfo whether Redis lets us run INFO; without it, delayed jobs run up to a second later
 */
export function openQueueRedis(url: string, mayInfo: boolean): Redis {
  return open(url, {
    maxRetriesPerRequest: null,
    socketTimeout: silentQueueTimeoutMs,
    skipVersionCheck: !mayInfo,
    enableReadyCheck: mayInfo,
  });
}

interface ConnectionOptions {
  readonly maxRetriesPerRequest: number | null;
  readonly commandTimeout?: number;
  readonly socketTimeout: number;
  readonly enableAutoPipelining?: boolean;
  readonly scripts?: typeof scripts;
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
      sentinelCommandTimeout: sentinelTimeoutMs,
      // It can cancel the client's own attempt to reconnect, which is then never repeated. A primary that hangs, whose
      // connections stay open, is left by socketTimeout (https://github.com/redis/ioredis/issues/1314).
      failoverDetector: false,
      connectTimeout: connectTimeoutMs,
      // A demoted primary refuses writes. The command fails, and the next one finds the new primary.
      reconnectOnError: (error) => /^(READONLY|UNBLOCKED) /.test(error.message),
    });
  }
  const { enableAutoPipelining = false, scripts: known = {}, ...ofNodes } = options;
  const cluster = new Cluster([...address.nodes], {
    redisOptions: { ...ofNodes, ...login },
    enableAutoPipelining,
    scripts: known,
    clusterRetryStrategy: reconnect,
    // While nodes fail over, a command is redirected up to this many times.
    maxRedirections: 32,
    // While no node is reachable, commands would queue without commandTimeout (https://github.com/redis/ioredis/issues/1604).
    enableOfflineQueue: options.commandTimeout === undefined,
  });
  // Both have the same commands, and keys used together share a hash tag (see keys.ts), so the store works with either.
  return cluster as unknown as Redis;
}

export { isRedisUnavailable } from './redis-errors.ts';
