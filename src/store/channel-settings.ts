import type { Redis } from 'ioredis';
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
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const channelSettingsCodec = createCodec('channel-settings', ChannelSettings);

export type ChannelSettingsStore = ReturnType<typeof createChannelSettings>;

/** Creates the store of channel settings, by workspace and channel, independent of the channel's subscriptions. */
export function createChannelSettings(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'channel-settings');
  const stored = createStoredHash(redis, { codec: channelSettingsCodec, field: ChannelId }, logger);

  return {
    /** Returns a channel's settings, or the defaults if nobody has changed any. */
    async get(workspace: WorkspaceId, channel: ChannelId): Promise<ChannelSettings> {
      return (await stored.get(key(workspace), channel)) ?? noChannelSettings;
    },

    /** Returns the settings of several channels. */
    async getMany(
      workspace: WorkspaceId,
      channels: readonly ChannelId[],
    ): Promise<Map<ChannelId, ChannelSettings>> {
      const found = await stored.getMany(key(workspace), channels);
      return new Map(channels.map((channel) => [channel, found.get(channel) ?? noChannelSettings]));
    },

    /**
     * Changes a channel's settings, with an audit entry in the same step; concurrent changes are made one after the other.
     * Resolves to the previous and the new settings.
     * @param actor who changes them, how, and from which account
     */
    async change(
      workspace: WorkspaceId,
      channel: ChannelId,
      change: (before: ChannelSettings) => ChannelSettings,
      actor: Pick<NewAuditEntry, 'account' | 'by' | 'how'>,
    ): Promise<{
      readonly changed: boolean;
      readonly before: ChannelSettings;
      readonly after: ChannelSettings;
    }> {
      let after = noChannelSettings;
      const had = await stored.update(
        key(workspace),
        channel,
        (stands) => {
          const before = stands ?? noChannelSettings;
          after = change(before);
          return areSameSettings(before, after) ? stands : after;
        },
        (stands) =>
          audit({ workspace }, { ...entryOf(stands ?? noChannelSettings, after), ...actor, channel }),
      );
      const before = had ?? noChannelSettings;
      const changed = !areSameSettings(before, after);
      return { changed, before, after: changed ? after : before };
    },

    /** Follows a channel that Slack has given another id. */
    async followChannel(workspace: WorkspaceId, from: ChannelId, to: ChannelId): Promise<void> {
      const known = await stored.get(key(workspace), from);
      if (known === undefined) return;
      await stored.update(key(workspace), to, (had) => had ?? known);
      await redis.hdel(key(workspace), from);
    },

    /** Removes the settings of a channel without subscriptions. */
    async remove(workspace: WorkspaceId, channel: ChannelId): Promise<void> {
      await redis.hdel(key(workspace), channel);
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
