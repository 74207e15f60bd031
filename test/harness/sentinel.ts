import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { ask, redisServers } from './redis-servers.ts';

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
  const { configure, start, isRunning, end, signal, stop } = await redisServers();

  // Without the last line, the server would wait for further replicas that might need the same copy.
  const server = [
    await readFile(join(examples, 'redis.conf'), 'utf8'),
    botUser,
    'repl-diskless-sync-delay 0',
  ].join('\n');
  const first = await configure(server);
  const replica = `${server}\nreplicaof 127.0.0.1 ${first}`;
  const servers = [first, await configure(replica), await configure(replica)];
  await Promise.all(servers.map((port) => start(port)));
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
      if (!isRunning(port)) continue;
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

  await Promise.all(sentinels.map((port) => start(port)));
  await whole();
  return {
    /** REDIS_URL. */
    url: `redis+sentinel://${bot.username}:${bot.password}@${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/${name}`,
    primary,
    kill: (port: number) => end(port),
    /** Restarts a killed server with its data on disk, as a replica of the current primary. */
    restart: async (port: number) => start(port, ['--replicaof', '127.0.0.1', String(await primary())]),
    /** Suspends a server with its connections open; to the others, it looks like one behind a cut cable. */
    pause: (port: number) => signal(port, 'SIGSTOP'),
    resume: (port: number) => signal(port, 'SIGCONT'),
    whole,
    stop,
  };
}
