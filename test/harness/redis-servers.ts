import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

/** Returns what starts and kills redis-servers that belong together, each with a port and a folder of its own. */
export async function redisServers() {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-redis-group-'));
  const children = new Map<number, ChildProcess>();
  const argumentsOf = new Map<number, readonly string[]>();
  const killAll = () => {
    for (const child of children.values()) child.kill('SIGKILL');
  };
  process.once('exit', killAll);

  /** Prepares a server. Returns its port. */
  async function configure(config: string, ...args: readonly string[]): Promise<number> {
    const port = await freePort();
    const own = join(folder, String(port));
    await mkdir(own);
    const lines = [
      config,
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${own}`,
      `logfile ${own}/log`,
      'save ""',
      '',
    ];
    await writeFile(join(own, 'redis.conf'), lines.join('\n'));
    argumentsOf.set(port, args);
    return port;
  }

  /** Starts a server with its data on disk. @param args other arguments than before */
  async function start(port: number, args = argumentsOf.get(port) ?? []): Promise<void> {
    argumentsOf.set(port, args);
    const file = join(folder, String(port), 'redis.conf');
    children.set(port, spawn('redis-server', [file, ...args], { stdio: 'ignore' }));
    // With much data, it answers before it has loaded everything.
    await eventually('a server that has loaded its data', () =>
      ask(port, (client) => client.ping()).catch((error: Error) => {
        if (error.message.startsWith('LOADING')) return undefined;
        throw error;
      }),
    );
  }

  const isRunning = (port: number): boolean => {
    const child = children.get(port);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  };

  /** kill -9. */
  async function kill(port: number): Promise<void> {
    const child = children.get(port);
    if (child === undefined || !isRunning(port)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  return {
    configure,
    start,
    isRunning,
    kill,
    signal: (port: number, signal: NodeJS.Signals) => void children.get(port)?.kill(signal),
    async stop() {
      for (const port of children.keys()) await kill(port);
      process.off('exit', killAll);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs commands on one server, waiting for it to start if necessary. */
export async function ask<T>(port: number, run: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: 100 });
  client.on('error', () => undefined);
  try {
    return await run(client);
  } finally {
    client.disconnect();
  }
}
