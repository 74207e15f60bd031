import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

/** Returns what starts and ends redis-servers that belong together, each with a port and a folder of its own. */
export async function redisServers(env: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-redis-'));
  const folderOf = (port: number) => join(folder, String(port));
  const children = new Map<number, ChildProcess>();
  const argumentsOf = new Map<number, readonly string[]>();
  const killAll = () => {
    for (const child of children.values()) child.kill('SIGKILL');
  };
  process.once('exit', killAll);

  /** Prepares a server. Returns its port. */
  async function configure(config: string, ...args: readonly string[]): Promise<number> {
    const port = await freePort();
    await mkdir(folderOf(port));
    const own = [`port ${port}`, 'bind 127.0.0.1', `dir ${folderOf(port)}`, 'logfile log', 'save ""', ''];
    await writeFile(join(folderOf(port), 'redis.conf'), [config, ...own].join('\n'));
    argumentsOf.set(port, args);
    return port;
  }

  /** Starts a server with its data on disk. */
  async function start(port: number, args = argumentsOf.get(port) ?? []): Promise<void> {
    const file = join(folderOf(port), 'redis.conf');
    // A limit on file size simulates a full disk. With this signal ignored, writes fail instead of killing the server.
    const command = ['-c', 'trap "" XFSZ; exec redis-server "$@"', 'sh', file, ...args];
    const child = spawn('/bin/sh', command, { stdio: 'ignore', env: { ...process.env, ...env } });
    children.set(port, child);
    const done = new AbortController();
    const ended = once(child, 'exit', { signal: done.signal }).then(async () => {
      const log = await readFile(join(folderOf(port), 'log'), 'utf8').catch(() => '');
      throw new Error(`redis-server did not start on port ${port}: ${log.trim().split('\n').at(-1) ?? ''}`);
    });
    // With much data, it answers before it has loaded everything.
    const hasLoaded = () =>
      ask(port, (client) => client.ping(), null).catch((error: Error) => {
        if (error.message.startsWith('LOADING')) return undefined;
        throw error;
      });
    try {
      await Promise.race([ended, eventually('a server that has loaded its data', hasLoaded)]);
    } finally {
      done.abort();
    }
  }

  const isRunning = (port: number): boolean => {
    const child = children.get(port);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  };

  /** Ends a server; by default as kill -9 does. */
  async function end(port: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = children.get(port);
    if (child === undefined || !isRunning(port)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    // A suspended process would not receive the signal.
    child.kill('SIGCONT');
    await ended;
  }

  return {
    folderOf,
    configure,
    start,
    isRunning,
    end,
    signal: (port: number, signal: NodeJS.Signals) => void children.get(port)?.kill(signal),
    /** Kills them, since their data are removed. And under libfaketime SIGTERM can be a deadlock while the time is read. */
    async stop() {
      for (const port of children.keys()) await end(port);
      process.off('exit', killAll);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs commands on one server, waiting for it to start if necessary: for so many tries, or for ever (null). */
export async function ask<T>(
  port: number,
  run: (client: Redis) => Promise<T>,
  maxRetriesPerRequest: number | null = 200,
): Promise<T> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 30, maxRetriesPerRequest });
  client.on('error', () => undefined);
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}
