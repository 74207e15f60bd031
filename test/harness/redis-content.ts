import { Redis } from 'ioredis';
import { scanKeys } from '../../src/store/scripts.ts';

/** Returns the whole content of a Redis, as one text per key. */
export async function contentOf(url: string): Promise<Map<string, string>> {
  const redis = new Redis(url);
  const content = new Map<string, string>();
  try {
    for await (const key of scanKeys(redis, '*')) {
      const value = await readOfItsType(redis, key);
      if (value !== undefined) content.set(key, value);
    }
    return content;
  } finally {
    redis.disconnect();
  }
}

/** Reads a key by its type. The bot is running, so the key may be removed or change its type between the two commands. */
async function readOfItsType(redis: Redis, key: string): Promise<string | undefined> {
  for (;;) {
    try {
      return await read(redis, key, await redis.type(key));
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('WRONGTYPE')) throw error;
    }
  }
}

async function read(redis: Redis, key: string, type: string): Promise<string | undefined> {
  switch (type) {
    case 'string':
      return (await redis.get(key)) ?? undefined;
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return undefined;
  }
}
