import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { dataVersionKey } from '../../src/store/format.ts';
import {
  claimData,
  createRedisMemory,
  createRedisRuns,
  forbiddenCommands,
  isRedisUnavailable,
  mayReadInfo,
  openQueueRedis,
  openRedis,
  parseRedisAddress,
  untilReady,
} from '../../src/store/redis.ts';
import { asId, ref } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis({ fsync: 'always' });
  redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test('each run of Redis is new once, also one that follows before the last was recorded or seen again', async () => {
  const runs = createRedisRuns(redis, 1);
  expect(await runs.newRun(ref)).toBeUndefined();
  await server.restart();
  const second = await runs.newRun(ref);
  expect(second).toMatch(/^[0-9a-f]{40}$/);
  await server.restart();
  await runs.record(ref, second ?? '');
  await expect.poll(() => runs.newRun(ref)).toMatch(/^[0-9a-f]{40}$/);
  await runs.record(ref, (await runs.newRun(ref)) ?? '');
  await server.restart();
  await expect.poll(() => runs.newRun(ref)).toMatch(/^[0-9a-f]{40}$/);
  await runs.record(ref, (await runs.newRun(ref)) ?? '');
  expect(await runs.newRun(ref)).toBeUndefined();
});

test('a new run does not count while one was recorded lately', async () => {
  const runs = createRedisRuns(redis, 60_000);
  await server.restart();
  await runs.record(ref, (await runs.newRun(ref)) ?? '');
  await server.restart();
  expect(await runs.newRun(ref)).toBeUndefined();
});

test('where INFO is forbidden, each new connection counts as a new run once', async () => {
  const limited = openRedis(await server.hasUser('~*', '&*', '+@all', '-info'));
  onTestFinished(() => limited.disconnect());
  limited.on('error', () => undefined);
  await untilReady(limited);
  const other: AccountRef = { ...ref, account: asId('a2') };
  const runs = createRedisRuns(limited, 1);
  expect(await runs.newRun(other)).toBeUndefined();
  for (let connection = 1; connection <= 2; connection += 1) {
    limited.disconnect(true);
    await expect.poll(() => runs.newRun(other).catch(() => undefined)).toBeDefined();
    await runs.record(other, (await runs.newRun(other)) ?? '');
    expect(await runs.newRun(other)).toBeUndefined();
  }
});

test('an address of neither kind is refused without being repeated', () => {
  expect(() => parseRedisAddress('redis+sentinel://:secret@localhost:26379')).toThrow(/^REDIS_URL must be/);
  const sentinels = [['a', 1] as const, ['::1', 2] as const].map(([host, port]) => ({ host, port }));
  const login = { username: 'bot', password: 'pa:ss', tls: true };
  const address = parseRedisAddress('rediss+sentinel://bot:pa%3Ass@a:1,[::1]:2/reviews/3');
  expect(address).toEqual({ kind: 'sentinel', sentinels, name: 'reviews', db: 3, ...login });
});

test('what is asked for at once reaches Redis in one piece, and is answered as ever', async () => {
  const client = openRedis(server.url);
  onTestFinished(() => client.disconnect());
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await client.info('stats'))?.[1]);
  await client.set('known', 'value');
  const before = await reads();
  const ask = async (_: unknown, index: number) => {
    // Some of them a few microtasks later, as features ask.
    for (let step = 0; step < index % 5; step += 1) await Promise.resolve();
    return client.get(index % 2 === 0 ? 'known' : 'unknown');
  };
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 'value' : null)));
  // One for all of them, one for the question itself.
  expect((await reads()) - before).toBeLessThanOrEqual(4);
});

test.each([
  ['used_memory:849\r\nmaxmemory:1000', 0.849, false],
  ['used_memory:850\r\nmaxmemory:1000', 0.85, true],
  ['used_memory:850\r\nmaxmemory:0', undefined, false],
  ['', undefined, false],
])('new tasks wait from 85 percent of the memory on: %j', async (info, ratio, isFull) => {
  const memory = createRedisMemory({ info: async () => info } as never);
  expect([await memory.ratio(), await memory.isNearlyFull()]).toEqual([ratio, isFull]);
});

test('data of a newer version are refused, and those of an older one are claimed', async () => {
  for (const [stored, after] of [[undefined, '1'] as const, ['0', '1'] as const, ['1', '1'] as const]) {
    await (stored === undefined ? redis.del(dataVersionKey) : redis.set(dataVersionKey, stored));
    await claimData(redis);
    expect(await redis.get(dataVersionKey)).toBe(after);
  }
  await redis.set(dataVersionKey, 2);
  await expect(claimData(redis)).rejects.toThrow('(data version 2; this one reads 1)');
});

test('the start names every command that Redis forbids, and INFO is no such', async () => {
  const rights = [[], ['-get', '-time', '-info']] as const;
  const found = [[[], true] as const, [['GET', 'TIME'], false] as const];
  for (const [index, more] of rights.entries()) {
    const limited = openRedis(await server.hasUser('~*', '&*', '+@all', ...more));
    expect([await forbiddenCommands(limited), await mayReadInfo(limited)]).toEqual(found[index]);
    limited.disconnect();
  }
  expect([isRedisUnavailable('ERR'), isRedisUnavailable(new Error('OOM too much'))]).toEqual([false, true]);
});

test('sentinels and clusters are given the login, and wait as long as a single server', () => {
  const optionsOf = (client: Redis) => {
    client.on('error', () => undefined);
    client.disconnect();
    return client.options;
  };
  const login = { username: 'bot', password: 'pass', tls: {} };
  const store = { maxRetriesPerRequest: 1, commandTimeout: 1_500, socketTimeout: 5_000 };
  const sentinel = { name: 'reviews', db: 3, failoverDetector: false, connectTimeout: 3_000 };
  const sentinels = openRedis('rediss+sentinel://bot:pass@127.0.0.1:1/reviews/3');
  expect(optionsOf(sentinels)).toMatchObject({ ...login, ...store, ...sentinel });
  const cluster = { maxRedirections: 32, enableOfflineQueue: false, enableAutoPipelining: true };
  const nodes = 'rediss+cluster://bot:pass@127.0.0.1:1';
  expect(optionsOf(openRedis(nodes))).toMatchObject({ ...cluster, redisOptions: { ...login, ...store } });
  const queue = { maxRetriesPerRequest: null, socketTimeout: 15_000, skipVersionCheck: true };
  const waits = { ...cluster, enableOfflineQueue: true, enableAutoPipelining: false };
  expect(optionsOf(openQueueRedis(nodes, false))).toMatchObject({ ...waits, redisOptions: queue });
});
