import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './ports.ts';
import { type RedisActs, redisActs } from './redis-acts.ts';

/** A real redis-server on its own port, with its append-only file in a temporary folder. */
export interface TestRedis extends RedisActs {
  readonly url: string;
  readonly port: number;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
  /** kill -9: writes that have not reached the append-only file are lost. */
  kill(): Promise<void>;
  /** Flushes everything so far to the append-only file, so that it survives a kill. */
  persist(): Promise<void>;
  /** Suspends it: connections stay open, but nothing is answered. */
  pause(): void;
  /** Resumes it where it was suspended. */
  resume(): void;
  /** Restarts it on the same port with its data on disk, stopping it first if it runs. */
  restart(): Promise<void>;
  /**
   * Copies the current data. Returns a function that restarts the server with only the copy, as after a failover to a
   * lagging replica, or after a restore.
   */
  copy(): Promise<() => Promise<void>>;
}

/**
 * Starts a redis-server.
 *
 * @param options.fsync `always` if the test simulates a power cut and no answered write may be lost; default `everysec`.
 * @param options.env added to its environment, such as that of a shifted clock
 */
export async function startRedis(
  options: { fsync?: 'always' | 'everysec'; env?: Readonly<Record<string, string>> } = {},
): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-redis-'));
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      let child = await run(folder, port, options.fsync ?? 'everysec', options.env);
      const url = `redis://127.0.0.1:${port}`;
      return {
        url,
        port,
        ...redisActs(url),
        async stop() {
          // Its data are removed, so it need not write them. And under libfaketime it can deadlock if SIGTERM comes while it
          // reads the time.
          await end(child, 'SIGKILL');
          await rm(folder, { recursive: true, force: true });
        },
        kill: () => end(child, 'SIGKILL'),
        persist: () => persist(port, options.fsync ?? 'everysec'),
        pause: () => void child.kill('SIGSTOP'),
        resume: () => void child.kill('SIGCONT'),
        async restart() {
          await end(child, 'SIGTERM');
          child = await run(folder, port, options.fsync ?? 'everysec', options.env);
        },
        async copy() {
          const copied = await copyData(folder, port);
          return async () => {
            await end(child, 'SIGKILL');
            await rm(join(folder, 'appendonlydir'), { recursive: true, force: true });
            await copyFile(copied, join(folder, 'dump.rdb'));
            child = await run(folder, port, options.fsync ?? 'everysec', options.env, 'dump');
          };
        },
      };
    } catch (error) {
      // Another test may have taken the port between our check and the start.
      if (attempt === 5) {
        throw error;
      }
    }
  }
}

/** @param from what it loads: the append-only file, or the dump, which starts a new append-only file */
async function run(
  folder: string,
  port: number,
  fsync: string,
  env: Readonly<Record<string, string>> = {},
  from: 'append-only file' | 'dump' = 'append-only file',
): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--logfile', 'redis.log'];
  args.push('--appendonly', from === 'dump' ? 'no' : 'yes', '--appendfsync', fsync);
  args.push('--save', '', '--maxmemory-policy', 'noeviction');
  // A limit on file size simulates a full disk. With this signal ignored, writes fail instead of killing the server.
  const child = spawn('/bin/sh', ['-c', 'trap "" XFSZ; exec redis-server "$@"', 'sh', ...args], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const done = new AbortController();
  try {
    await Promise.race([
      new Promise((resolve) => client.once('ready', resolve)),
      once(child, 'exit', { signal: done.signal }).then(async () => {
        const log = await readFile(join(folder, 'redis.log'), 'utf8').catch(() => '');
        throw new Error(`redis-server did not start on port ${port}: ${log.trim().split('\n').at(-1) ?? ''}`);
      }),
    ]);
    if (from === 'dump') await client.config('SET', 'appendonly', 'yes');
    return child;
  } finally {
    done.abort();
    client.disconnect();
  }
}

/** Waits until all writes so far are in the file, using that under `always` a write is answered only then. */
async function persist(port: number, fsync: string): Promise<void> {
  const client = new Redis(port, '127.0.0.1');
  await client.config('SET', 'appendfsync', 'always');
  await client.set('persisted', '1', 'PX', 1);
  await client.config('SET', 'appendfsync', fsync);
  client.disconnect();
}

/** Copies the data into a file. Returns its path. */
async function copyData(folder: string, port: number): Promise<string> {
  const client = new Redis(port, '127.0.0.1');
  await client.save();
  client.disconnect();
  const file = join(folder, `copy-${crypto.randomUUID()}.rdb`);
  await copyFile(join(folder, 'dump.rdb'), file);
  return file;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    // A suspended process would not receive the signal.
    child.kill('SIGCONT');
    await exited;
  }
}
