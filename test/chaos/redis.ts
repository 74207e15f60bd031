import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startPrivateRedis } from '../../src/store/private-redis.ts';
import { eventually } from '../harness/eventually.ts';

export type RefusalKind = 'OOM' | 'READONLY';

/** A Redis that can fail in every way. */
export interface ChaosRedis {
  /** REDIS_URL. */
  readonly url: string;
  /** Whether another server replaces a lost one. */
  readonly failsOver: boolean;
  /** Runs commands on the server that accepts writes. */
  onPrimary<T>(call: (client: Redis) => Promise<T>): Promise<T>;
  /** kill -9, until `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Suspends it with its connections open, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Makes it refuse writes until `accept`, like a full server or a replica. */
  refuse(how: RefusalKind): Promise<void>;
  accept(): Promise<void>;
  /** Copies its data; `restoreCopy` replaces the current data with the copy, as from a backup. */
  copy(): Promise<void>;
  /** @param beforeLoss reads the data that are about to be lost; nothing is written at that time */
  restoreCopy(beforeLoss: (client: Redis) => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Redis with exactly the configuration of the bot's private Redis. */
export async function startChaosRedis(): Promise<ChaosRedis> {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-chaos-redis-'));
  const { url, stop: stopPrivate } = await startPrivateRedis({ dataDir });
  await stopPrivate();
  const folder = join(dataDir, 'redis');
  const data = join(folder, 'appendonlydir');
  const copied = join(dataDir, 'copy.rdb');
  let child = await start(folder, url);

  async function onPrimary<T>(call: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(url);
    try {
      return await call(client);
    } finally {
      client.disconnect();
    }
  }

  return {
    url,
    failsOver: false,
    onPrimary,
    kill: () => end(child),
    async restart() {
      child = await start(folder, url);
    },
    async pause() {
      child.kill('SIGSTOP');
    },
    async resume() {
      child.kill('SIGCONT');
    },
    refuse: (how) =>
      onPrimary(async (client) => {
        if (how === 'OOM') await client.config('SET', 'maxmemory', '1');
        else await client.replicaof('127.0.0.1', 1);
      }),
    accept: () =>
      onPrimary(async (client) => {
        await client.replicaof('NO', 'ONE');
        await client.config('SET', 'maxmemory', '0');
      }),
    async copy() {
      await onPrimary((client) => client.save());
      await copyFile(join(folder, 'dump.rdb'), copied);
    },
    async restoreCopy(beforeLoss) {
      await onPrimary(async (client) => {
        await client.call('CLIENT', 'PAUSE', '10000', 'WRITE');
        await beforeLoss(client);
      });
      await end(child);
      await rm(data, { recursive: true, force: true });
      await mkdir(data);
      await copyFile(copied, join(data, 'appendonly.aof.1.base.rdb'));
      await writeFile(join(data, 'appendonly.aof.manifest'), 'file appendonly.aof.1.base.rdb seq 1 type b\n');
      child = await start(folder, url);
    },
    async stop() {
      await end(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function start(folder: string, url: string): Promise<ChildProcess> {
  const child = spawn('redis-server', ['redis.conf'], { cwd: folder, stdio: 'ignore' });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const done = new AbortController();
  try {
    await Promise.race([
      // It accepts connections before it has loaded its file, but refuses every command until then.
      eventually('Redis has read its data', () => client.ping().catch(() => false), 60_000),
      once(child, 'exit', { signal: done.signal }).then(async () => {
        const log = await readFile(join(folder, 'redis.log'), 'utf8').catch(() => '');
        throw new Error(`redis-server did not start: ${log.trim().split('\n').at(-1) ?? ''}`);
      }),
    ]);
    return child;
  } finally {
    done.abort();
    client.disconnect();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
