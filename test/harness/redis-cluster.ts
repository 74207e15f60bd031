import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

/** A group of redis-servers, and the REDIS_URL that names them. */
export interface RedisGroup {
  readonly url: string;
  /** Kills one. */
  kill(index: number): Promise<void>;
  /** Restarts a killed one with its data. */
  restart(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real cluster of three masters, each with a third of the slots. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const group = await startServers([
    ['--cluster-enabled', 'yes'],
    ['--cluster-enabled', 'yes'],
    ['--cluster-enabled', 'yes'],
  ]);
  const clients = group.ports.map((port) => new Redis(port, '127.0.0.1'));
  const third = Math.ceil(16_384 / 3);
  for (const [index, client] of clients.entries()) {
    const last = Math.min(16_383, (index + 1) * third - 1);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', index * third, last);
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  for (const port of group.ports.slice(1)) await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port);
  for (const client of clients) {
    await eventually('the cluster to be whole', async () => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
    });
    client.disconnect();
  }
  return { ...group, url: `redis+cluster://${group.ports.map((port) => `127.0.0.1:${port}`).join(',')}` };
}

async function startServers(all: readonly (readonly string[])[]) {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-redis-group-'));
  const children: ChildProcess[] = [];
  const ports: number[] = [];
  for (const index of all.keys()) {
    const port = await freePort();
    ports.push(port);
    const own = join(folder, String(index));
    await mkdir(own);
    const config = [`port ${port}`, 'bind 127.0.0.1', `dir ${own}`, 'save ""', 'appendonly yes'];
    // Otherwise, on a busy disk, answered writes would reach the file up to two seconds later, and a kill would lose them.
    await writeFile(join(own, 'redis.conf'), [...config, 'appendfsync always', ''].join('\n'));
    await start(index);
  }
  async function start(index: number): Promise<void> {
    const options = all[index] ?? [];
    const file = join(folder, String(index), 'redis.conf');
    children[index] = spawn('redis-server', [file, ...options], { stdio: 'ignore' });
    const client = new Redis(ports[index] ?? 0, '127.0.0.1', {
      retryStrategy: () => 50,
      maxRetriesPerRequest: null,
    });
    client.on('error', () => {});
    await client.ping();
    client.disconnect();
  }
  async function kill(index: number): Promise<void> {
    const child = children[index];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  return {
    ports,
    kill,
    restart: start,
    async stop() {
      for (const index of children.keys()) await kill(index);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
