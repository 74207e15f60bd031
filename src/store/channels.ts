import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import {
  areSameSettings,
  ChannelSettings,
  channelKinds,
  defaultDailyAt,
  mutedText,
  noChannelSettings,
} from '../domain/channel-settings.ts';
import { ChannelId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

export const channelSettingsCodec = createCodec('channel-settings', ChannelSettings);

export type ChannelSettingsStore = ReturnType<typeof createChannelSettings>;

/** Creates the store of channel settings, by workspace and channel, independent of the channel's subscriptions. */
export function createChannelSettings(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'channel-settings');
  const stored = createStoredHash(redis, { codec: channelSettingsCodec, field: ChannelId, key }, logger);

  return {
    /** Returns a channel's settings, or the defaults if nobody has changed any. */
    async get(workspace: WorkspaceId, channel: ChannelId): Promise<ChannelSettings> {
      return (await stored.get(workspace, channel)) ?? noChannelSettings;
    },

    /** Returns the settings of several channels. */
    async getMany(
      workspace: WorkspaceId,
      channels: readonly ChannelId[],
    ): Promise<Map<ChannelId, ChannelSettings>> {
      const found = await stored.getMany(workspace, channels);
      return new Map(channels.map((channel) => [channel, found.get(channel) ?? noChannelSettings]));
    },

    /**
     * Sets a channel's settings, with an audit entry in the same step. Resolves to the previous and the new settings.
     * @param actor who sets them, how, and from which account
     */
    async set(
      workspace: WorkspaceId,
      channel: ChannelId,
      after: ChannelSettings,
      actor: Pick<NewAuditEntry, 'account' | 'by' | 'how'>,
    ) {
      const had = await stored.update(
        workspace,
        channel,
        (stands) => (areSameSettings(stands ?? noChannelSettings, after) ? stands : after),
        (stands) =>
          audit({ workspace }, { ...entryOf(stands ?? noChannelSettings, after), ...actor, channel }),
      );
      return { before: had ?? noChannelSettings, after };
    },

    /** Follows a channel that Slack has given another id. */
    async followChannel(workspace: WorkspaceId, from: ChannelId, to: ChannelId): Promise<void> {
      const known = await stored.get(workspace, from);
      if (known === undefined) return;
      await stored.update(workspace, to, (had) => had ?? known);
      await stored.remove(workspace, from);
    },
  };
}

/** Returns the audit entry of a change: only the mutes, or the settings that differ before and after it. */
function entryOf(
  before: ChannelSettings,
  after: ChannelSettings,
): Pick<NewAuditEntry, 'what' | 'before' | 'after'> {
  const changed = channelKinds.filter((kind) => before.muted.includes(kind) !== after.muted.includes(kind));
  const [only] = changed;
  if (only !== undefined && changed.length === 1 && areSameSettings({ ...before, muted: after.muted }, after))
    return { what: after.muted.includes(only) ? 'mute' : 'unmute', after: only };
  const [was, is] = [settingsTexts(before), settingsTexts(after)];
  const differs = (_: string, index: number) => was[index] !== is[index];
  return {
    what: 'set channel',
    before: was.filter(differs).join(', '),
    after: is.filter(differs).join(', '),
  };
}

function settingsTexts(settings: ChannelSettings): string[] {
  const { openCards, threads = false, dailyAt = defaultDailyAt } = settings;
  return [
    `open cards ${openCards ?? 'default'}`,
    `threads ${threads ? 'on' : 'off'}`,
    `daily at ${dailyAt}`,
    `muted ${mutedText(settings) || 'nothing'}`,
  ];
}

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
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'lost-channels');
  const stored = createStoredHash(redis, { codec: lostChannelCodec, field: ChannelId, key }, logger);
  const checkedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'channels-checked');

  return {
    get: stored.get,
    all: stored.all,

    /** Records that a channel is lost; one that is already lost keeps its time. */
    async record(workspace: WorkspaceId, channel: ChannelId, code: string, at: number): Promise<void> {
      await stored.update(
        workspace,
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
        workspace,
        channel,
        (lost) => lost && { ...lost, told: [...new Set([...lost.told, recipient])] },
      );
    },

    /**
     * Removes and returns the record of a channel that works again: undefined when it was not lost, or was already removed.
     */
    async remove(workspace: WorkspaceId, channel: ChannelId): Promise<LostChannel | undefined> {
      return stored.update(
        workspace,
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
      const [, latest = '0'] = await redis.zrevrange(checked, 0, 0, 'WITHSCORES');
      if (at - Number(latest) < apartMs) return undefined;
      const scores = await redis.zmscore(checked, ...channels);
      const known = channels.map((channel, index) => ({ channel, score: Number(scores[index] ?? 0) }));
      const [oldest] = known.sort((a, b) => a.score - b.score);
      if (oldest === undefined || at - oldest.score < everyMs) return undefined;
      await redis.zadd(checked, at, oldest.channel);
      return oldest.channel;
    },
  };
}
