import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import type { AccountRef } from '../domain/terms.ts';
import { messageOf, UserError } from '../errors.ts';
import { accountKey, dataVersion, dataVersionKey, probeKey } from './format.ts';
import { scriptIn, scripts } from './scripts.ts';

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
  // Both have the same commands, and keys used together share a hash tag (see format.ts), so the store works with either.
  return cluster as unknown as Redis;
}

interface Node {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
}

/** The address of Redis: one server, the sentinels that know the primary of a name, or some nodes of a cluster. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | ({
      readonly kind: 'sentinel';
      readonly sentinels: readonly Node[];
      readonly name: string;
      readonly db: number;
    } & Login)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly Node[] } & Login);

const shape = /^redis(s)?\+(sentinel|cluster):\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^/?]*))?(?:\/(\d+))?$/;

/**
 * Parses REDIS_URL: `redis://…` or `rediss://…` for one server,
 * `redis+sentinel://[user:password@]host:port,host:port/name[/db]`,
 * `redis+cluster://[user:password@]host:port,host:port`; with `rediss+` over TLS.
 * Throws UserError, which never quotes the address: it may contain a password.
 */
export function parseRedisAddress(url: string): RedisAddress {
  if (/^rediss?:\/\//.test(url)) return { kind: 'single', url };
  const [, secure, kind, login = '', hosts = '', name = '', db = '0'] = shape.exec(url) ?? [];
  const nodes = hosts.split(',').map(nodeOf);
  if (kind === undefined || (kind === 'sentinel' && name === '')) {
    throw new UserError(
      'REDIS_URL must be redis://host:port, redis+sentinel://host:port,host:port/master-name or redis+cluster://host:port,host:port.',
    );
  }
  const [username = '', password = ''] = login.includes(':') ? login.split(/:(.*)/s) : ['', login];
  const credentials = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    tls: secure !== undefined,
  };
  if (kind === 'cluster') return { kind, nodes, ...credentials };
  return { kind: 'sentinel', sentinels: nodes, name, db: Number(db), ...credentials };
}

function nodeOf(text: string): Node {
  const [, host = text, port = '6379'] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/**
 * The codes with which Redis refuses a command without doing any of it, and the reasons as shown to people. A script is
 * refused as a whole too: Redis checks this at the script's first write, and lets a script that has already written
 * continue.
 */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'its memory is full',
  MISCONF: 'it cannot write to its disk',
  READONLY: 'it is a replica, which takes no changes',
  NOREPLICAS: 'its replicas are missing',
  LOADING: 'it is still loading its data',
  MASTERDOWN: 'it has lost its primary',
  CLUSTERDOWN: 'its cluster is not complete',
  TRYAGAIN: 'its cluster is moving data',
  BUSY: 'it is busy with a script',
  NOAUTH: 'it asks for a password',
  WRONGPASS: 'it does not accept the password',
  NOPERM: 'it does not give Proofdesk the right to do this',
};

const codes = Object.keys(refusals).join('|');
const refusedCommand = new RegExp(`^(${codes})\\b`);
/** How Redis 6 reports a command that was refused within a script. */
const refusedScript = new RegExp(`^ERR Error running script .*: -?(${codes})\\b`);

/** Messages of ioredis about lost connections, and of Redis about connections that it ends. */
const connectionLost =
  /^(Command timed out|Connection is closed|Connection is not available|Stream isn't writeable|Cluster isn't ready|None of startup nodes|All sentinels are unreachable|Too many Cluster redirections|UNBLOCKED |ERR max number of clients|(connect|read|write) E[A-Z]+)/;

/** Returns the code with which Redis refused a command without doing any of it; undefined for any other error. */
export function refusalCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (refusedCommand.exec(error.message) ?? refusedScript.exec(error.message))?.[1];
}

/** Returns the reason for a refusal code, to follow "because". */
export function refusalReason(code: string): string {
  return refusals[code] ?? 'it refuses commands';
}

/** Returns whether a command failed because Redis is unreachable or does not serve, not because of the command. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'MaxRetriesPerRequestError' ||
    connectionLost.test(error.message) ||
    refusalCode(error) !== undefined
  );
}

/** One command of each kind that an access list allows or forbids, with arguments that change nothing. */
const needed: readonly (readonly [command: string, ...args: string[]])[] = [
  ['GET', probeKey],
  ['SET', probeKey, '1', 'EX', '60'],
  ['EVAL', 'return 1', '0'],
  ['EVALSHA', '0'.repeat(40), '0'],
  // Without MULTI, it is refused.
  ['EXEC'],
  ['TIME'],
];

async function isForbidden(
  redis: Redis,
  [command, ...args]: readonly [string, ...string[]],
): Promise<boolean> {
  return redis.call(command, ...args).then(
    () => false,
    (error: unknown) => /\bNOPERM\b/.test(messageOf(error)),
  );
}

/** Returns the commands that Redis does not let this user run, and without which the bot cannot work. */
export async function forbiddenCommands(redis: Redis): Promise<string[]> {
  const forbidden = await Promise.all(needed.map((call) => isForbidden(redis, call)));
  return needed.flatMap(([command], index) => (forbidden[index] ? [command] : []));
}

/** Records that this version stores data. Throws UserError if a newer one has. */
export async function claimData(redis: Redis): Promise<void> {
  const stored = Number((await redis.get(dataVersionKey)) ?? 0);
  if (stored > dataVersion)
    throw new UserError(
      `A newer version of Proofdesk has stored its data in this Redis (data version ${stored}; this one reads ${dataVersion}). Start that version, or restore a backup from before the upgrade.`,
    );
  if (stored < dataVersion) await redis.set(dataVersionKey, dataVersion);
}

/** Returns whether this user may run INFO: without it, some checks are left out. */
export async function mayReadInfo(redis: Redis): Promise<boolean> {
  return !(await isForbidden(redis, ['INFO', 'server']));
}

/** Says which commands are forbidden, and what to do. */
export function forbiddenText(commands: readonly string[]): string {
  return `it does not let the user of REDIS_URL run ${commands.join(', ')}. Allow what “Redis” in docs/operating.md lists.`;
}

/** How often the difference to Redis's clock is measured (ms). */
const measureEveryMs = 60_000;

/** Creates the clock that all processes share: this machine's, with the difference to Redis's added. */
export function createClock(redis: Pick<Redis, 'time' | 'on'>) {
  let offset = 0;

  /** Measures the difference. While Redis does not answer, the last one is kept. */
  async function measure(): Promise<void> {
    const askedAt = Date.now();
    const [seconds, microseconds] = await redis.time().catch(() => []);
    if (seconds === undefined) return;
    offset = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - (askedAt + Date.now()) / 2;
  }

  // After a failover, Redis may have another clock.
  redis.on('ready', () => void measure());
  const timer = setInterval(() => void measure(), measureEveryMs).unref();
  return {
    measure,
    /** Returns the time (ms since 1970). */
    now: () => Math.round(Date.now() + offset),
    stop: () => clearInterval(timer),
  };
}

/** From this part of `maxmemory` on, new tasks wait: Redis must not refuse the decisions about those that are here. */
const nearlyFullRatio = 0.85;

/** How long a measured ratio is used (ms). */
const ratioMs = 1_000;

/** Creates the reader of how full Redis is. */
export function createRedisMemory(redis: Redis | Cluster) {
  async function ratioOf(node: Redis): Promise<number | undefined> {
    const info = await node.info('memory').catch(() => '');
    const [used, most] = ['used_memory', 'maxmemory'].map((name) =>
      Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0),
    );
    return used && most ? used / most : undefined;
  }

  async function measure(): Promise<number | undefined> {
    const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const ratios = (await Promise.all(nodes.map(ratioOf))).filter((ratio) => ratio !== undefined);
    return ratios.length === 0 ? undefined : Math.max(...ratios);
  }

  let measured: { readonly at: number; readonly ratio: Promise<number | undefined> } | undefined;

  /** Returns the used part of `maxmemory`, of the fullest node; undefined without one, or where INFO is forbidden. */
  function ratio(): Promise<number | undefined> {
    const at = performance.now();
    if (measured === undefined || at - measured.at > ratioMs) measured = { at, ratio: measure() };
    return measured.ratio;
  }

  return {
    ratio,
    /** Returns whether new tasks have to wait until there is room. */
    isNearlyFull: async (): Promise<boolean> => ((await ratio()) ?? 0) >= nearlyFullRatio,
  };
}

const readRun = scriptIn('read-run');

/**
 * Creates the check of whether another run of Redis serves an account than before: after a restart, a failover or a
 * restored backup, its last seconds may be lost. Where INFO is forbidden, a new connection counts as a new run.
 * @param apartMs a new run counts at most once in this time
 */
export function createRedisRuns(redis: Redis, apartMs: number) {
  const runKey = (ref: AccountRef) => accountKey(ref, 'redis-run');
  const recentKey = (ref: AccountRef) => accountKey(ref, 'redrawn');
  const nameOf = ({ workspace, account }: AccountRef) => `${workspace} ${account}`;
  let connections = 0;
  redis.on('ready', () => {
    connections += 1;
  });
  /** The connection at which each account was last recorded, where INFO is forbidden. */
  const recorded = new Map<string, string>();

  return {
    /** Returns the run that serves the account, if it is not the recorded one and none was recorded lately. */
    async newRun(ref: AccountRef): Promise<string | undefined> {
      const run = String(await readRun(redis, [runKey(ref)], []));
      const [known, isRecent] = await Promise.all([redis.get(runKey(ref)), redis.exists(recentKey(ref))]);
      if (known === null && run !== '') await redis.set(runKey(ref), run, 'NX');
      const current = run || String(connections);
      const last = run === '' ? (recorded.get(nameOf(ref)) ?? '0') : (known ?? run);
      return current !== last && isRecent === 0 ? current : undefined;
    },

    /** Records that what was lost before this run was dealt with. A run that has begun since counts as new. */
    async record(ref: AccountRef, run: string): Promise<void> {
      recorded.set(nameOf(ref), run);
      await redis.multi().set(runKey(ref), run).set(recentKey(ref), '1', 'PX', apartMs).exec();
    },
  };
}
