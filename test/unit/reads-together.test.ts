import { beforeEach, expect, test } from 'vitest';
import { readsTogether } from '../../src/store/reads-together.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const key = (name: string) => `{one account}:${name}`;

beforeEach(async () => {
  await redis.first.flushdb();
  await redis.first.zadd(key('sorted'), 1, 'a', 2, 'b');
  await redis.first.hset(key('hash'), 'field', 'value', 'other', 'text');
  await redis.first.sadd(key('set'), 'member');
});

/** Every kind of read, of keys that exist and of one that does not. */
function all(reads: ReturnType<typeof readsTogether>) {
  return [
    () => reads.exists(key('set')),
    () => reads.exists(key('none')),
    () => reads.hgetall(key('hash')),
    () => reads.hgetall(key('none')),
    () => reads.hkeys(key('hash')),
    () => reads.hlen(key('hash')),
    () => reads.hmget(key('hash'), 'other', 'none'),
    () => reads.hmget(key('none'), 'field'),
    () => reads.smembers(key('set')),
    () => reads.zcard(key('sorted')),
    () => reads.zrange(key('sorted'), '0', '0', 'WITHSCORES'),
    () => reads.zrange(key('none'), '0', '-1'),
    () => reads.zrangebyscore(key('sorted'), '-inf', '+inf', 'LIMIT', 0, 1),
  ];
}

test('reads that are asked together answer what each answers alone, in one command', async () => {
  const reads = readsTogether(redis.first);
  const alone: unknown[] = [];
  for (const read of all(reads)) alone.push(await read());
  const calls = async () =>
    [...(await redis.second.info('commandstats')).matchAll(/cmdstat_(?:eval|evalsha):calls=(\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  const before = await calls();
  expect(await Promise.all(all(reads).map((read) => read()))).toEqual(alone);
  expect((await calls()) - before).toBe(1);
  expect(alone).toEqual([
    1,
    0,
    { field: 'value', other: 'text' },
    {},
    ['field', 'other'],
    2,
    ['text', null],
    [null],
    ['member'],
    2,
    ['a', '1'],
    [],
    ['a'],
  ]);
});

test('one that fails does not fail the others', async () => {
  const reads = readsTogether(redis.first);
  const [count, wrong, members] = await Promise.allSettled([
    reads.zcard(key('sorted')),
    reads.zcard(key('hash')),
    reads.smembers(key('set')),
  ]);
  expect(count).toMatchObject({ status: 'fulfilled', value: 2 });
  expect(wrong).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('WRONGTYPE') },
  });
  expect(members).toMatchObject({ status: 'fulfilled', value: ['member'] });
});
