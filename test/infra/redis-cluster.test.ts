import { expect, onTestFinished, test } from 'vitest';
import { isRedisUnavailable, openRedis, untilReady } from '../../src/store/redis.ts';
import { startRedisCluster } from '../harness/redis-cluster.ts';

test('what is asked of a cluster that is away fails in time, and is not done once it is back', async () => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const redis = openRedis(cluster.url);
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  await untilReady(redis);
  await redis.set('before', '1');
  const all = [0, 1, 2];
  await Promise.all(all.map((index) => cluster.kill(index)));
  // The first as well as later ones: ioredis keeps them in different places.
  const failures = [];
  for (const key of ['alone', 'later'])
    failures.push(await redis.set(key, '1').catch((error: unknown) => error));
  const [together] = (await redis.pipeline().set('together', '1').exec()) ?? [];
  expect([...failures, together?.[0]].map(isRedisUnavailable)).toEqual([true, true, true]);
  await Promise.all(all.map((index) => cluster.restart(index)));
  await expect.poll(() => redis.exists('before').catch(() => 0)).toBe(1);
  // Of a pipeline ioredis may send the rest once more.
  expect([await redis.exists('alone'), await redis.exists('later')]).toEqual([0, 0]);
});
