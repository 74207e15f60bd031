import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startRedis, type TestRedis } from './redis.ts';

/** Provides two connections to one Redis, as for two processes, to the tests of a file. Redis is emptied after each test. */
export function twoRedisClients(): { readonly first: Redis; readonly second: Redis } {
  let server: TestRedis;
  let clients: { first: Redis; second: Redis };
  beforeAll(async () => {
    server = await startRedis();
    clients = { first: new Redis(server.url), second: new Redis(server.url) };
  });
  afterEach(() => clients.first.flushall());
  afterAll(async () => {
    clients.first.disconnect();
    clients.second.disconnect();
    await server.stop();
  });
  return {
    get first() {
      return clients.first;
    },
    get second() {
      return clients.second;
    },
  };
}
