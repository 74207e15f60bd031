import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedis } from '../../src/store/redis.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

/** Longer than a command may take (ms). */
const tooLongMs = 1_800;

let server: TestRedis;
let redis: ReturnType<typeof openRedis>;
beforeAll(async () => {
  server = await startRedis();
  redis = openRedis(server.url);
  await redis.set('key', 'value');
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

test('an answer that arrived while the process was busy counts, although its time is over', async () => {
  const answers = Promise.all(Array.from({ length: 100 }, () => redis.get('key')));
  // They are sent at the end of this turn of the event loop.
  await new Promise(setImmediate);
  const until = performance.now() + tooLongMs;
  while (performance.now() < until);
  expect(new Set(await answers)).toEqual(new Set(['value']));
});

test('a Redis that does not answer is told from a busy process', async () => {
  const other = openRedis(server.url);
  await other.call('CLIENT', 'PAUSE', tooLongMs, 'ALL');
  await expect(redis.get('key')).rejects.toThrow('Command timed out');
  other.disconnect();
});
