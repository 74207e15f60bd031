import { eventually } from './eventually.ts';
import { ask, redisServers } from './redis-servers.ts';

export type RedisGroup = Awaited<ReturnType<typeof startRedisCluster>>;

/** Starts a real cluster of three masters, each with a third of the slots. */
export async function startRedisCluster() {
  const servers = await redisServers();
  const ports: number[] = [];
  // Otherwise, on a busy disk, answered writes would reach the file up to two seconds later, and a kill would lose them.
  const config = 'appendonly yes\nappendfsync always';
  while (ports.length < 3) ports.push(await servers.configure(config, '--cluster-enabled', 'yes'));
  const [first = 0, ...others] = ports;
  await Promise.all(ports.map((port) => servers.start(port)));
  const third = Math.ceil(16_384 / 3);
  for (const [index, port] of ports.entries())
    await ask(port, async (client) => {
      const last = Math.min(16_383, (index + 1) * third - 1);
      await client.call('CLUSTER', 'ADDSLOTSRANGE', index * third, last);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    });
  for (const port of others) await ask(first, (client) => client.call('CLUSTER', 'MEET', '127.0.0.1', port));
  for (const port of ports)
    await eventually('the cluster to be whole', async () => {
      const info = String(await ask(port, (client) => client.call('CLUSTER', 'INFO')));
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
    });
  return {
    /** REDIS_URL. */
    url: `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
    kill: (index: number) => servers.end(ports[index] ?? 0),
    /** Restarts a killed one with its data. */
    restart: (index: number) => servers.start(ports[index] ?? 0),
    stop: servers.stop,
  };
}
