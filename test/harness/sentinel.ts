import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

export type SentinelGroup = Awaited<ReturnType<typeof startSentinelGroup>>;

const name = 'proofdesk';
/** The bot has its own user. Servers and sentinels connect to each other as the default user, until that is disabled. */
const bot = { username: 'bot', password: 'any' };
const botUser = `user ${bot.username} on nopass ~* &* +@all`;
const examples = join(import.meta.dirname, '../../examples/sentinel');

const downAfter = /(?<=down-after-milliseconds \w+ )\d+/;

/**
 * Starts a primary and two replicas, monitored by three sentinels, all configured as in examples/sentinel.
 * @param options.downAfterMs how long sentinels wait before they replace a silent primary; absent: as in the example
 */
export async function startSentinelGroup(options: { readonly downAfterMs?: number } = {}) {
  const sentinelConfig = await readFile(join(examples, 'sentinel.conf'), 'utf8');
  const downAfterMs = options.downAfterMs ?? Number(downAfter.exec(sentinelConfig)?.[0]);
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-sentinel-'));
  const children = new Map<number, ChildProcess>();
  const argumentsOf = new Map<number, readonly string[]>();
  const killAll = () => {
    for (const child of children.values()) child.kill('SIGKILL');
  };
  process.once('exit', killAll);

  async function configure(config: string, ...args: string[]): Promise<number> {
    const port = await freePort();
    const own = join(folder, String(port));
    await mkdir(own);
    // Otherwise the server would wait for further replicas that might need the same copy.
    const fast = args.includes('--sentinel') ? '' : 'repl-diskless-sync-delay 0\n';
    await writeFile(
      join(own, 'redis.conf'),
      `${config}\nport ${port}\nbind 127.0.0.1\ndir ${own}\nlogfile ${own}/log\nsave ""\n${fast}`,
    );
    argumentsOf.set(port, args);
    return port;
  }

  async function start(port: number): Promise<void> {
    const file = join(folder, String(port), 'redis.conf');
    children.set(port, spawn('redis-server', [file, ...(argumentsOf.get(port) ?? [])], { stdio: 'ignore' }));
    // With much data, it answers before it has loaded everything.
    await eventually('a server that has loaded its data', () =>
      ask(port, (client) => client.ping()).catch((error: Error) => {
        if (error.message.startsWith('LOADING')) return undefined;
        throw error;
      }),
    );
  }

  /** kill -9. */
  async function kill(port: number): Promise<void> {
    const child = children.get(port);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  const server = `${await readFile(join(examples, 'redis.conf'), 'utf8')}\n${botUser}`;
  const first = await configure(server);
  const servers = [
    first,
    await configure(`${server}\nreplicaof 127.0.0.1 ${first}`),
    await configure(`${server}\nreplicaof 127.0.0.1 ${first}`),
  ];
  await Promise.all(servers.map(start));
  const sentinel = sentinelConfig
    .replace('127.0.0.1 6379', `127.0.0.1 ${first}`)
    .replace(downAfter, String(downAfterMs));
  const sentinels = [
    await configure(sentinel, '--sentinel'),
    await configure(sentinel, '--sentinel'),
    await configure(sentinel, '--sentinel'),
  ];

  /** Returns the port of the server that the sentinels report as the primary. */
  async function primary(): Promise<number> {
    for (const port of sentinels) {
      const child = children.get(port);
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const found = await ask(port, (client) => client.call('SENTINEL', 'get-master-addr-by-name', name));
      return Number((found as string[])[1]);
    }
    throw new Error('no sentinel is left');
  }

  /** Waits until every server but the primary is a replica with all of its data, and every sentinel agrees. */
  async function whole(timeoutMs = 30_000): Promise<void> {
    await eventually(
      'two replicas that follow the primary',
      async () => {
        const info = await ask(await primary(), (client) => client.info('replication')).catch(() => '');
        return info.includes('role:master') && (info.match(/state=online/g) ?? []).length === 2;
      },
      timeoutMs,
    );
    await eventually(
      'sentinels that know each other, the primary and the replicas, and act',
      async () => {
        const seen = `status=ok,address=127.0.0.1:${await primary()},slaves=2,sentinels=3`;
        const infos = await Promise.all(
          sentinels.map((port) => ask(port, (client) => client.info('sentinel'))),
        );
        // A sentinel that has not finished its failover can be stuck in it forever once the next begins. One whose process
        // was suspended for two seconds (tilt) does nothing for half a minute.
        return infos.every((info) => info.includes(seen) && info.includes('sentinel_tilt:0'));
      },
      timeoutMs,
    );
  }

  await Promise.all(sentinels.map(start));
  await whole();
  return {
    /** REDIS_URL. */
    url: `redis+sentinel://${bot.username}:${bot.password}@${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/${name}`,
    primary,
    kill,
    /** Restarts a killed server with its data on disk, as a replica of the current primary. */
    async restart(port: number) {
      argumentsOf.set(port, ['--replicaof', '127.0.0.1', String(await primary())]);
      await start(port);
    },
    /** Suspends a server with its connections open; to the others, it looks like one behind a cut cable. */
    pause: (port: number) => void children.get(port)?.kill('SIGSTOP'),
    resume: (port: number) => void children.get(port)?.kill('SIGCONT'),
    whole,
    async stop() {
      for (const port of children.keys()) await kill(port);
      process.off('exit', killAll);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs commands on one server, waiting for it to start if necessary. */
async function ask<T>(port: number, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 50,
    maxRetriesPerRequest: 100,
  });
  client.on('error', () => undefined);
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}
