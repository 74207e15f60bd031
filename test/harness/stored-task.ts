import { Redis } from 'ioredis';

/** Returns the record of a task as Redis stores it, as text; undefined if there is none. */
export async function storedTask(redisUrl: string, task: string): Promise<string | undefined> {
  const redis = new Redis(redisUrl);
  try {
    const [key] = await redis.keys(`*:task:${task}`);
    return key === undefined ? undefined : ((await redis.hget(key, 'value')) ?? undefined);
  } finally {
    redis.disconnect();
  }
}
