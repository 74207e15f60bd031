import { Cluster, Redis } from 'ioredis';
import { parseRedisAddress } from './redis-address.ts';

/** Waits between attempts to reconnect, in ms; it goes on for as long as it takes. */
const reconnect = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

/**
 * Opens a connection for the store's own commands: they fail within seconds while Redis is away, so that a person who
 * clicks is told instead of kept waiting.
 * @param url as in REDIS_URL, see {@link parseRedisAddress}
 */
export function openRedis(url: string): Redis {
  return open(url, { maxRetriesPerRequest: 1, commandTimeout: 5_000 });
}

/** Opens a connection for BullMQ, whose commands wait for as long as Redis is away. */
export function openQueueRedis(url: string): Redis {
  return open(url, { maxRetriesPerRequest: null });
}

function open(
  url: string,
  options: { readonly maxRetriesPerRequest: number | null; readonly commandTimeout?: number },
): Redis {
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
    });
  }
  const cluster = new Cluster([...address.nodes], {
    redisOptions: { ...options, ...login },
    clusterRetryStrategy: reconnect,
    // While nodes change places, a command is sent on so often before it fails.
    maxRedirections: 32,
  });
  // Both know the same commands; keys that are used together carry one tag (see keys.ts), so either serves the store.
  return cluster as unknown as Redis;
}

/** Whether a command failed because Redis cannot be reached or cannot serve at present, not because of the command. */
export function isRedisAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'MaxRetriesPerRequestError' || awayMessage.test(error.message);
}

/** Of ioredis for its own failures, and of Redis while it starts or changes places. */
const awayMessage =
  /^(Command timed out|Connection is closed|Stream isn't writeable|LOADING |CLUSTERDOWN |MASTERDOWN |READONLY |TRYAGAIN )/;
