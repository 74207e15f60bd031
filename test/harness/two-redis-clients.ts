import type { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { redisPerFile } from './redis-per-file.ts';

/** Provides two connections to one Redis, as for two processes, to the tests of a file. Redis is emptied after each test. */
export function twoRedisClients(): { readonly first: Redis; readonly second: Redis } {
  const first = redisPerFile();
  let second: Redis;
  beforeAll(() => {
    second = first().duplicate();
  });
  afterAll(() => second.disconnect());
  return {
    get first() {
      return first();
    },
    get second() {
      return second;
    },
  };
}
