import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { ChannelView } from './channel-view.ts';
import type { Evidence } from './evidence.ts';
import type { ChaosRedis } from './redis.ts';

/** Writes the final state to files in `folder`, for finding the cause of a problem. */
export async function writeState(
  { onPrimary }: ChaosRedis,
  { marketplace, requests, audit }: Evidence,
  view: ChannelView,
  folder: string,
): Promise<void> {
  const stored = await onPrimary(async (redis) => {
    const all: Record<string, unknown> = {};
    for await (const keys of redis.scanStream({ count: 1_000 })) {
      for (const key of keys as string[]) all[key] = await read(redis, key);
    }
    return all;
  });
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, `${name}.json`), JSON.stringify(content, undefined, 1));
  await write('redis', stored);
  await write('marketplace', marketplace);
  await write('requests', requests);
  await write('audit', audit);
  await write('channels', {
    cards: [...view.cards.values()],
    summaries: [...view.summaries.values()],
    notices: [...view.notices.values()],
    unique: [...view.unique],
  });
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
