import type { Cluster } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createFindIndex } from '../../src/store/find.ts';
import { accountKey } from '../../src/store/format.ts';
import { createTaskLeases } from '../../src/store/leases.ts';
import { createRateLimiter, defaultRateLimits, postMethod } from '../../src/store/pauses.ts';
import {
  createRedisMemory,
  createRedisRuns,
  isRedisUnavailable,
  openRedis,
  untilReady,
} from '../../src/store/redis.ts';
import { createSpendingStore } from '../../src/store/rights.ts';
import { changeIf } from '../../src/store/scripts.ts';
import { asId } from '../harness/ids.ts';
import { startRedisCluster } from '../harness/redis-cluster.ts';

/** Starts a cluster, and connects as the bot does. Both end with the test. */
async function begin() {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const redis = openRedis(cluster.url);
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  await untilReady(redis);
  return { cluster, redis };
}

test('what is asked of a cluster that is away fails in time, and is not done once it is back', async () => {
  const { cluster, redis } = await begin();
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

test('each script runs on the node that has its account', async () => {
  const { redis } = await begin();
  const leases = createTaskLeases(redis, { now: () => 1, leaseMs: 1_000, queueMs: 10_000 });
  const spending = createSpendingStore(redis, 'UTC');
  const limiter = createRateLimiter(redis, defaultRateLimits);
  const reservation = { member: asId<MemberId>('U1'), budget: 'bonus', id: 'd1', at: 1 } as const;
  for (const account of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) {
    const ref: AccountRef = { workspace: asId('T1'), account: asId(account) };
    const [hash, set] = [accountKey(ref, 'hash'), accountKey(ref, 'set')];
    const both = [['HSET', hash, 'field', '1'] as const, ['SADD', set, 'one'] as const];
    expect(await changeIf(redis, [['', 'GET', accountKey(ref, 'other')]], both)).toBe(true);
    await redis.zadd(accountKey(ref, 'tasks', 'open'), 1, 't1');
    await leases.fill(ref, 'focus', [asId('t1')]);
    expect(await leases.take(ref, 'focus', { count: 2 })).toEqual({ held: ['t1'], left: 0 });
    expect((await spending.reserve(ref, reservation, money('0.10'), undefined)).fits).toBe(true);
    await createFindIndex(redis).forget(ref, asId('t1'));
    expect(await createRedisRuns(redis, 1_000).newRun(ref)).toBeUndefined();
    const call = { workspace: asId<WorkspaceId>(account), method: postMethod };
    expect(await limiter.acquire(call)).toBe(0);
    await limiter.blockFor(call, 60_000);
    expect(await limiter.acquire(call)).toBeGreaterThan(50_000);
    expect(await limiter.acquireCsv(ref, 1_000)).toBe(0);
  }
});

test('a cluster is as full as its fullest node', async () => {
  const { redis } = await begin();
  const ratio = () => createRedisMemory(redis).ratio();
  const [first, second] = (redis as unknown as Cluster).nodes('master');
  expect(await ratio()).toBeUndefined();
  await first?.config('SET', 'maxmemory', '1gb');
  expect(await ratio()).toBeLessThan(0.01);
  await second?.config('SET', 'maxmemory', '20mb');
  expect(await ratio()).toBeGreaterThan(0.05);
});
