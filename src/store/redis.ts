import { Cluster, Redis } from 'ioredis';
import { parseRedisAddress } from './redis-address.ts';

/**
 * So long one of the store's commands may take. Who submits a form is answered after it and has to be within 3 seconds,
 * also while Redis stands still.
 */
const storeTimeoutMs = 1_500;

/** Waits between attempts to reconnect, in ms; it goes on for as long as it takes. */
const reconnect = (attempt: number) => Math.min(50 * 2 ** attempt, 1_000);

/**
 * Opens a connection for the store's own commands: they fail within seconds while Redis is away, so that a person who
 * clicks is told instead of kept waiting.
 * @param url as in REDIS_URL, see {@link parseRedisAddress}
 */
export function openRedis(url: string): Redis {
  return open(url, { maxRetriesPerRequest: 1, commandTimeout: storeTimeoutMs });
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
  if (options.commandTimeout !== undefined) limitQueueTime(cluster, options.commandTimeout);
  // Both know the same commands; keys that are used together carry one tag (see keys.ts), so either serves the store.
  return cluster as unknown as Redis;
}

/**
 * ioredis counts a command's time only from when a node has it: while no node can be reached, commands would wait in the
 * cluster's own queue for as long as that lasts. Here the time counts from the start, and a command that has run out of
 * it is not sent later: who asked for it has been told that it may not have been done. (A pipeline is sent on by
 * ioredis itself, so one may still be done; what matters is written by single scripts.)
 */
function limitQueueTime(cluster: Cluster, ms: number): void {
  const send = cluster.sendCommand.bind(cluster);
  cluster.sendCommand = (command, ...where) => {
    if (command.isSettled) return command.promise;
    command.setTimeout(ms);
    return send(command, ...where);
  };
}

/** Whether a command failed because Redis cannot be reached or cannot serve at present, not because of the command. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'MaxRetriesPerRequestError' || unavailableMessage.test(error.message);
}

/** Of ioredis for its own failures, and of Redis while it starts or changes places. */
const unavailableMessage =
  /^(Command timed out|Connection is closed|Stream isn't writeable|None of startup nodes|Too many Cluster redirections|LOADING |CLUSTERDOWN |MASTERDOWN |READONLY |TRYAGAIN )/;
