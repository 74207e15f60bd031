import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startRedis, type TestRedis } from './redis.ts';

/** Two connections to one Redis, as two processes have them; for the tests of a file, emptied after each. */
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
