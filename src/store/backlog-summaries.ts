import type { Redis } from 'ioredis';
import type { MessageRef } from '../domain/task.ts';
import type { AccountRef, ChannelId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** The message in a channel that tells how many tasks have no card yet, and the number it tells. */
export interface BacklogSummary extends MessageRef {
  readonly count: number;
}

/** With the time (ms) at which it was last drawn; absent while its first post is under way. */
type Kept = BacklogSummary & { readonly drawnAt?: number };

/** What a notice was last asked to be drawn for: how many tasks had no card then, in all channels together. */
interface Asked {
  readonly total: number;
  readonly at: number;
}

export type BacklogSummaries = ReturnType<typeof createBacklogSummaries>;

/** Where each channel is told of its backlog. */
export function createBacklogSummaries(redis: Redis) {
  const key = (ref: AccountRef) => accountKey(ref, 'backlog-notices');
  const askedKey = (ref: AccountRef) => accountKey(ref, 'backlog-notices', 'asked');

  return {
    async get(ref: AccountRef, channel: ChannelId): Promise<BacklogSummary | undefined> {
      const text = await redis.hget(key(ref), channel);
      return text === null ? undefined : (JSON.parse(text) as BacklogSummary);
    },

    async put(ref: AccountRef, notice: BacklogSummary): Promise<void> {
      // One that stands nowhere yet has not been drawn.
      const kept: Kept = notice.ts === '' ? notice : { ...notice, drawnAt: Date.now() };
      await redis.hset(key(ref), notice.channel, JSON.stringify(kept));
    },

    /** There is nothing to tell the channel (any more). */
    async remove(ref: AccountRef, channel: ChannelId): Promise<void> {
      await redis.multi().hdel(key(ref), channel).hdel(askedKey(ref), channel).exec();
    },

    /**
     * Of these channels, those whose notice may tell another number than is so: the total is not what it was when the
     * notice was last asked for, or it has not been drawn since then. Others need no look at the tasks themselves.
     */
    async outdated(ref: AccountRef, channels: readonly ChannelId[], total: number): Promise<ChannelId[]> {
      if (channels.length === 0) return [];
      const notices = await redis.hmget(key(ref), ...channels);
      const asked = await redis.hmget(askedKey(ref), ...channels);
      return channels.filter((_, at) => {
        const notice = parsed<Kept>(notices[at]);
        const last = parsed<Asked>(asked[at]);
        if (last === undefined) return notice !== undefined;
        return last.total !== total || (notice?.drawnAt ?? 0) < last.at;
      });
    },

    /** A channel's notice is asked for, with so many tasks without a card in all. Before the asking: none is missed. */
    async noteAsked(ref: AccountRef, channel: ChannelId, total: number): Promise<void> {
      const last = parsed<Asked>(await redis.hget(askedKey(ref), channel));
      // Asked again for the same number: whichever drawing comes first is the one that was wanted.
      if (last?.total === total) return;
      const asked: Asked = { total, at: Date.now() };
      await redis.hset(askedKey(ref), channel, JSON.stringify(asked));
    },
  };
}

function parsed<T>(text: string | null | undefined): T | undefined {
  return text == null ? undefined : (JSON.parse(text) as T);
}
