import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLeases } from '../../src/store/leases.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

let server: TestRedis;
let first: Redis;
let second: Redis;

beforeAll(async () => {
  server = await startRedis();
  [first, second] = [new Redis(server.url), new Redis(server.url)];
});
afterEach(() => first.flushall());
afterAll(async () => {
  first.disconnect();
  second.disconnect();
  await server.stop();
});

test('one job of one process holds a key at a time', async () => {
  const [here, there] = [createLeases(first), createLeases(second)];
  const hold = await here.acquire('key', 10_000);
  expect(await there.acquire('key', 10_000)).toBeUndefined();
  expect(await here.acquire('key', 10_000)).toBeUndefined();
  expect(await hold?.renew()).toBe(true);
  await hold?.release();
  expect(await there.acquire('key', 10_000)).toBeDefined();
});

test('what a dead process held is free after its time, and the process learns that it was lost', async () => {
  const [here, there] = [createLeases(first), createLeases(second)];
  const hold = await here.acquire('key', 30);
  await expect.poll(() => there.acquire('key', 10_000)).toBeDefined();
  expect(await hold?.renew()).toBe(false);
  await hold?.release();
  expect(await here.acquire('key', 10_000)).toBeUndefined();
});

test('what could not be let go of does not keep its own process waiting', async () => {
  const failing = new Redis(server.url);
  const here = createLeases(failing);
  const hold = await here.acquire('key', 10_000);
  failing.disconnect();
  await expect(hold?.release()).rejects.toThrow();
  await failing.connect();
  expect(await here.acquire('key', 10_000)).toBeDefined();
  failing.disconnect();
});

test('what rests is taken by nobody for that time', async () => {
  const [here, there] = [createLeases(first), createLeases(second)];
  const hold = await here.acquire('key', 10_000);
  await hold?.releaseAfter(60);
  expect(await here.acquire('key', 10_000)).toBeUndefined();
  expect(await there.acquire('key', 10_000)).toBeUndefined();
  await expect.poll(() => here.acquire('key', 10_000)).toBeDefined();
});
