import { expect, test } from 'vitest';
import { stepFunctions } from '../../src/store/commit-step.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();

const run = (statements: string) => redis().eval(`${stepFunctions}\n${statements}\nflush(error)`, 1, 'key');

test('writes of one command on one key become one', async () => {
  await redis().config('RESETSTAT');
  await run(`for i = 1, 20 do later('ZADD', KEYS[1], i, 'member ' .. i) end`);
  expect(await redis().zcard('key')).toBe(20);
  expect(await redis().info('commandstats')).toContain('cmdstat_zadd:calls=1,');
});

test('writes of different commands on one key keep their order', async () => {
  await run(`
    later('HSET', KEYS[1], 'favorite', 'of the first')
    later('HDEL', KEYS[1], 'favorite')
    later('HSET', KEYS[1], 'favorite', 'of the third')`);
  expect(await redis().hget('key', 'favorite')).toBe('of the third');
  await run(`
    later('HDEL', KEYS[1], 'favorite')
    later('HSET', KEYS[1], 'favorite', 'again')
    later('HDEL', KEYS[1], 'favorite')`);
  expect(await redis().hget('key', 'favorite')).toBeNull();
});
