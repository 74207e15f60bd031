import type { Redis } from 'ioredis';
import type { CardPlace } from '../domain/task.ts';
import type { AccountRef, ChannelId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** The message in a channel that tells how many tasks have no card yet, and the number it tells. */
export interface BacklogNotice extends CardPlace {
  readonly count: number;
}

export type Notices = ReturnType<typeof createNotices>;

/** Where each channel is told of its backlog. */
export function createNotices(redis: Redis) {
  const key = (ref: AccountRef) => accountKey(ref, 'backlog-notices');

  return {
    async get(ref: AccountRef, channel: ChannelId): Promise<BacklogNotice | undefined> {
      const text = await redis.hget(key(ref), channel);
      return text === null ? undefined : (JSON.parse(text) as BacklogNotice);
    },

    async put(ref: AccountRef, notice: BacklogNotice): Promise<void> {
      await redis.hset(key(ref), notice.channel, JSON.stringify(notice));
    },

    async remove(ref: AccountRef, channel: ChannelId): Promise<void> {
      await redis.hdel(key(ref), channel);
    },
  };
}
