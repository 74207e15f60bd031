import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createNodeClock, createRedisClock, dayMs } from '../harness/clock.ts';
import { startRedis } from '../harness/redis.ts';

const aboutMs = 5_000;

test('a Node program runs by a clock that is shifted', async () => {
  const clock = createNodeClock(-dayMs);
  const print =
    'console.log(JSON.stringify([Date.now(), +new Date(), Date.parse(Date()), new Date(5) instanceof Date]))';
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', print], {
    env: { ...process.env, ...clock.env },
  });
  const [now, made, text, isDate] = JSON.parse(stdout) as number[];
  for (const at of [now, made, text]) {
    expect(Math.abs((at ?? 0) - (Date.now() - dayMs))).toBeLessThan(aboutMs);
  }
  expect(isDate).toBe(true);
  clock.remove();
});

test('a Redis runs by a clock that is shifted, its times to live as well', async () => {
  const clock = createRedisClock();
  const redis = await startRedis({ env: clock.env });
  const client = new Redis(redis.url);
  const ahead = async () => Number((await client.time())[0]) * 1_000 - Date.now();
  try {
    expect(Math.abs(await ahead())).toBeLessThan(aboutMs);
    await client.set('key', 'value', 'PX', 60_000);
    clock.shift(-dayMs);
    expect(Math.abs((await ahead()) + dayMs)).toBeLessThan(aboutMs);
    expect(await client.pttl('key')).toBeGreaterThan(dayMs);
    clock.shift(dayMs);
    expect(Math.abs((await ahead()) - dayMs)).toBeLessThan(aboutMs);
    expect(await client.exists('key')).toBe(0);
  } finally {
    client.disconnect();
    await redis.stop();
    clock.remove();
  }
});
