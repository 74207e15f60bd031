import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { MarketplaceHandle } from '../harness/marketplace.ts';

/**
 * Writes everything that Redis and the marketplace hold to `redis.json` and `marketplace.json` in `folder`, to find the
 * cause of a problem.
 */
export async function writeState(
  redisUrl: string,
  marketplace: MarketplaceHandle,
  folder: string,
): Promise<void> {
  const redis = new Redis(redisUrl);
  const stored: Record<string, unknown> = {};
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) stored[key] = await read(redis, key);
  }
  redis.disconnect();
  await writeFile(join(folder, 'redis.json'), JSON.stringify(stored, undefined, 1));
  await writeFile(join(folder, 'marketplace.json'), JSON.stringify(await marketplace.state(), undefined, 1));
}

async function read(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return undefined;
  }
}
