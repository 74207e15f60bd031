import { Redis } from 'ioredis';
import { eventually } from '../harness/eventually.ts';
import { startSentinelGroup } from '../harness/sentinel.ts';
import type { ChaosRedis } from './redis.ts';
import { timeScale } from './settings.ts';

/** The sentinels of examples/sentinel wait this long before they replace a silent primary (ms). */
const downAfterMs = 5_000;
/** How long a group may take to be complete again, or to have another primary (ms). */
const wholeWithinMs = 60_000;

/** Copies everything atomically, as a snapshot does: each key, its time to live (ms, 0: no expiry), and its value. */
const copyScript = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  all[#all + 1] = key
  local left = redis.call('PTTL', key)
  all[#all + 1] = left == -1 and '0' or tostring(math.max(1, left))
  all[#all + 1] = redis.call('DUMP', key)
end
return all`;

/** A key as it was when the data were copied. */
interface Copied {
  readonly key: string;
  readonly ttl: number;
  readonly dump: Buffer;
}

/** Starts a primary, two replicas and three sentinels as in examples/sentinel. Failures affect the current primary. */
export async function startSentinelRedis(): Promise<ChaosRedis> {
  const group = await startSentinelGroup({ downAfterMs: Math.max(500, downAfterMs / timeScale) });
  let failed = 0;
  let copied: Copied[] = [];

  const onPrimary = async <T>(call: (client: Redis) => Promise<T>) => on(await group.primary(), call);

  /** Returns the primary once it could be replaced, because an outage begins with a complete group. */
  async function wholePrimary(): Promise<number> {
    await group.whole(wholeWithinMs);
    return group.primary();
  }

  return {
    url: group.url,
    failsOver: true,
    onPrimary,
    async kill() {
      failed = await wholePrimary();
      await group.kill(failed);
    },
    async restart() {
      // It comes back as a replica, so another server must be the primary by then.
      const isReplaced = async () => (await group.primary()) !== failed;
      await eventually('another primary', isReplaced, wholeWithinMs);
      await group.restart(failed);
    },
    async pause() {
      failed = await wholePrimary();
      group.pause(failed);
    },
    async resume() {
      group.resume(failed);
    },
    async refuse(how) {
      // Not by making it a replica, which the sentinels would correct: a primary without enough replicas also refuses
      // writes.
      const [name, value] = how === 'OOM' ? ['maxmemory', '1'] : ['min-replicas-to-write', '3'];
      failed = await wholePrimary();
      await on(failed, (client) => client.config('SET', name, value));
    },
    async accept() {
      await on(failed, async (client) => {
        await client.config('SET', 'maxmemory', '0');
        await client.config('SET', 'min-replicas-to-write', '1');
      });
    },
    async copy() {
      const all = (await onPrimary((client) => client.callBuffer('EVAL', copyScript, '0'))) as Buffer[];
      copied = all.flatMap((key, index) =>
        index % 3 === 0
          ? [{ key: String(key), ttl: Number(all[index + 1]), dump: all[index + 2] ?? Buffer.alloc(0) }]
          : [],
      );
    },
    async restoreCopy(beforeLoss) {
      const lost = await wholePrimary();
      const replicas = await group.replicas();
      await on(lost, async (client) => {
        await client.call('CLIENT', 'PAUSE', '10000', 'WRITE');
        await beforeLoss(client);
      });
      // A replica becomes the primary with the copy's data, so that nobody sees the data change.
      await group.unwatched(async () => {
        await group.kill(lost);
        for (const replica of replicas) await on(replica, (client) => putBack(client, copied));
      });
      await eventually('another primary', async () => (await group.primary()) !== lost, wholeWithinMs);
      await group.restart(lost);
    },
    stop: () => group.stop(),
  };
}

async function on<T>(port: number, call: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1');
  try {
    return await call(client);
  } finally {
    client.disconnect();
  }
}

/** Replaces all data of a replica with a copy. */
async function putBack(replica: Redis, copied: readonly Copied[]): Promise<void> {
  await replica.config('SET', 'replica-read-only', 'no');
  const all = replica.multi().flushall();
  for (const { key, ttl, dump } of copied) if (dump.length > 0) all.restore(key, ttl, dump);
  await all.exec();
  await replica.config('SET', 'replica-read-only', 'yes');
}
