import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startRedis, type TestRedis } from './redis.ts';

/** Starts a Redis for the tests of a file or block, emptied before each. Returns a function that returns its client. */
export function emptyRedis(): () => Redis {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });
  beforeEach(async () => void (await redis.flushall()));
  return () => redis;
}
