import { expect, test } from 'vitest';
import { changeIf } from '../../src/store/scripts.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();

test('a change is made only while what was read still stands, all of it or nothing', async () => {
  const entries: string[] = [];
  const step = { key: '{a}:audit', text: 'entry', stored: () => entries.push('logged') };
  const add = (before: string, after: string) =>
    changeIf(
      redis.first,
      [
        [before, 'HGET', '{a}:hash', 'field'],
        ['', 'ZSCORE', '{a}:set', 'other'],
      ],
      [
        ['HSET', '{a}:hash', 'field', after],
        ['ZADD', '{a}:set', 1, 'one'],
      ],
      step,
    );
  expect(await add('something', 'new')).toBe(false);
  expect(await redis.second.exists('{a}:hash', '{a}:set', '{a}:audit')).toBe(0);
  expect(await add('', 'naïve "quoted" \ud83d')).toBe(true);
  expect(await redis.second.hget('{a}:hash', 'field')).toBe('naïve "quoted" \ufffd');
  await redis.second.zadd('{a}:set', 2, 'other');
  expect(await add('naïve "quoted" \ufffd', 'again')).toBe(false);
  expect([await redis.second.xlen('{a}:audit'), entries]).toEqual([1, ['logged']]);
});

test('of many who count at the same time, each counts once', async () => {
  const count = async (client: typeof redis.first): Promise<void> => {
    const before = (await client.get('count')) ?? '';
    const set = ['SET', 'count', Number(before) + 1] as const;
    if (!(await changeIf(client, [[before, 'GET', 'count']], [set]))) await count(client);
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => count(index % 2 ? redis.first : redis.second)));
  expect(await redis.first.get('count')).toBe('20');
});
