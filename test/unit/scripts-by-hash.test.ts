import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRedis } from '../../src/store/redis.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const script = "return redis.call('INCR', KEYS[1])";
let server: TestRedis;
let redis: ReturnType<typeof openRedis>;
const count = () => redis.eval(script, 1, 'counter');

beforeAll(async () => {
  server = await startRedis();
});

afterAll(() => server.stop());

beforeEach(async (context) => {
  redis = openRedis(server.url);
  await redis.flushall();
  context.onTestFinished(() => redis.disconnect());
});

async function calls(command: string): Promise<number> {
  const info = await redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
}

test('a script is sent once, and then named by its hash', async () => {
  await redis.config('RESETSTAT');
  expect(await Promise.all([count(), count(), count()])).toEqual([1, 2, 3]);
  expect([await calls('eval'), await calls('evalsha')]).toEqual([1, 2]);
});

test('a server that does not know it any more gets it again, and runs it once', async () => {
  await count();
  await redis.script('FLUSH');
  expect(await Promise.all([count(), count()])).toEqual([2, 3]);
});

test('an error of a script is its caller’s', async () => {
  const fails = () => redis.eval("return redis.call('INCR', KEYS[1])", 1, 'text');
  await redis.set('text', 'no number');
  await expect(fails()).rejects.toThrow(/not an integer/);
  await expect(fails()).rejects.toThrow(/not an integer/);
});
