import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { redisActs } from './redis-acts.ts';
import { ask, redisServers } from './redis-servers.ts';

/** A real redis-server on its own port, with its append-only file in a temporary folder. */
export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

/**
 * Starts a redis-server.
 *
 * @param options.fsync `always` if the test simulates a power cut and no answered write may be lost; default `everysec`.
 * @param options.env added to its environment, such as that of a shifted clock
 */
export async function startRedis({
  fsync = 'everysec',
  env = {},
}: {
  fsync?: 'always' | 'everysec';
  env?: Readonly<Record<string, string>>;
} = {}) {
  const servers = await redisServers(env);
  async function started(attempts: number): Promise<number> {
    const config = `appendonly yes\nappendfsync ${fsync}\nmaxmemory-policy noeviction`;
    const port = await servers.configure(config);
    try {
      await servers.start(port);
      return port;
    } catch (error) {
      // Another test may have taken the port between our check and the start.
      if (attempts === 1) throw error;
      return started(attempts - 1);
    }
  }
  const port = await started(5);
  const url = `redis://127.0.0.1:${port}`;
  const file = (name: string) => join(servers.folderOf(port), name);
  return {
    url,
    port,
    ...redisActs(url),
    /** Stops it and removes its data. */
    stop: servers.stop,
    /** kill -9: writes that have not reached the append-only file are lost. */
    kill: () => servers.end(port),
    /** Flushes everything so far to the append-only file, so that it survives a kill. Uses that under `always` a write is answered only when it is in the file. */
    persist: () =>
      ask(port, async (client) => {
        await client.config('SET', 'appendfsync', 'always');
        await client.set('persisted', '1', 'PX', 1);
        await client.config('SET', 'appendfsync', fsync);
      }),
    /** Suspends it: connections stay open, but nothing is answered. */
    pause: () => servers.signal(port, 'SIGSTOP'),
    resume: () => servers.signal(port, 'SIGCONT'),
    /** Restarts it on the same port with its data on disk, stopping it first if it runs. */
    async restart() {
      await servers.end(port, 'SIGTERM');
      await servers.start(port);
    },
    /**
     * Copies the current data. Returns a function that restarts the server with only the copy, as after a failover to a
     * lagging replica, or after a restore.
     */
    async copy() {
      const copied = file(`copy-${crypto.randomUUID()}.rdb`);
      await ask(port, (client) => client.save());
      await copyFile(file('dump.rdb'), copied);
      return async () => {
        await servers.end(port);
        await rm(file('appendonlydir'), { recursive: true, force: true });
        await copyFile(copied, file('dump.rdb'));
        await servers.start(port, ['--appendonly', 'no']);
        await ask(port, (client) => client.config('SET', 'appendonly', 'yes'));
      };
    },
  };
}
