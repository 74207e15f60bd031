import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startRedis } from './redis.ts';

/** Starts a redis-server for the tests of a file, emptied for each. Returns a function that returns its client. */
export function redisPerFile(): () => Redis {
  let close: (() => Promise<void>) | undefined;
  let redis: Redis | undefined;
  const client = () => {
    if (redis === undefined) throw new Error('Redis is there while a test runs');
    return redis;
  };
  beforeAll(async () => {
    const server = await startRedis();
    redis = new Redis(server.url);
    close = server.stop;
  });
  afterEach(() => client().flushall());
  afterAll(async () => {
    redis?.disconnect();
    await close?.();
  });
  return client;
}
