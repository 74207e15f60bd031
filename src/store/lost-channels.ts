import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ChannelId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A channel that is deleted, archived, or that the bot has left: nothing in it can be posted or updated. */
const LostChannel = z
  .object({
    /** Why: `is_archived`, `not_in_channel`, `channel_deleted`, or `channel_not_found` (deleted, or hidden from the bot). */
    code: z.string(),
    /** Since when (ms). */
    since: z.number(),
    /** The members and channels that were told. */
    told: z.array(z.string()).readonly(),
  })
  .readonly();
export type LostChannel = z.infer<typeof LostChannel>;

export const lostChannelCodec = createCodec('lost-channel', LostChannel);

export type LostChannels = ReturnType<typeof createLostChannels>;

/** Creates the store of a workspace's lost channels, and of each channel's last check. */
export function createLostChannels(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const stored = createStoredHash(redis, { codec: lostChannelCodec, field: ChannelId }, logger);
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'lost-channels');
  const checkedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'channels-checked');
  /** The latest check of each workspace that this process knows of (ms). */
  const latestCheck = new Map<WorkspaceId, number>();

  return {
    async get(workspace: WorkspaceId, channel: ChannelId): Promise<LostChannel | undefined> {
      return stored.get(key(workspace), channel);
    },

    async all(workspace: WorkspaceId): Promise<Map<ChannelId, LostChannel>> {
      return stored.all(key(workspace));
    },

    /** Records that a channel is lost; one that is already lost keeps its time. */
    async record(workspace: WorkspaceId, channel: ChannelId, code: string, at: number): Promise<void> {
      await stored.update(
        key(workspace),
        channel,
        (before) => {
          if (before?.code === code) return before;
          return { code, since: before?.since ?? at, told: before?.told ?? [] };
        },
        (before) =>
          before === undefined
            ? audit({ workspace }, { what: 'channel lost', how: 'job', channel, after: code })
            : undefined,
      );
    },

    /** Records that a member or channel was told that a channel is lost. */
    async recordTold(workspace: WorkspaceId, channel: ChannelId, recipient: string): Promise<void> {
      await stored.update(
        key(workspace),
        channel,
        (lost) => lost && { ...lost, told: [...new Set([...lost.told, recipient])] },
      );
    },

    /**
     * Removes and returns the record of a channel that works again: undefined when it was not lost, or was already removed.
     */
    async remove(workspace: WorkspaceId, channel: ChannelId): Promise<LostChannel | undefined> {
      return stored.update(
        key(workspace),
        channel,
        () => undefined,
        () => audit({ workspace }, { what: 'channel back', how: 'job', channel }),
      );
    },

    /**
     * Returns the channel with the oldest check, if that is at least `everyMs` ago, and records that it is checked now. Any
     * two checks in the workspace are at least `apartMs` apart, across all callers.
     */
    async nextToCheck(
      workspace: WorkspaceId,
      channels: readonly ChannelId[],
      at: number,
      { everyMs, apartMs }: { readonly everyMs: number; readonly apartMs: number },
    ): Promise<ChannelId | undefined> {
      if (channels.length === 0) return undefined;
      const checked = checkedKey(workspace);
      const isTooSoon = (latest: number) => at - latest < apartMs;
      if (isTooSoon(latestCheck.get(workspace) ?? 0)) return undefined;
      const [, latest = '0'] = await redis.zrevrange(checked, 0, 0, 'WITHSCORES');
      latestCheck.set(workspace, Number(latest));
      if (isTooSoon(Number(latest))) return undefined;
      const scores = await redis.zmscore(checked, ...channels);
      const known = channels.map((channel, index) => ({ channel, score: Number(scores[index] ?? 0) }));
      const [oldest] = known.sort((a, b) => a.score - b.score);
      if (oldest === undefined || at - oldest.score < everyMs) return undefined;
      await redis.zadd(checked, at, oldest.channel);
      latestCheck.set(workspace, at);
      return oldest.channel;
    },

    /** Deletes the time of a channel's last check. */
    async forgetCheck(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
      await redis.zrem(checkedKey(workspace), channel);
    },
  };
}
