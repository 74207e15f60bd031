import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import {
  areSameSettings,
  ChannelSettings,
  mutedText,
  noChannelSettings,
} from '../domain/channel-settings.ts';
import { AccountId, AccountRef, CampaignId, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit.ts';
import { createCodec, polledAccountsKey, workspaceKey } from './format.ts';
import { createStoredHash, type ErrorLogger, setAside } from './stored-hash.ts';

export const channelSettingsCodec = createCodec('channel-settings', ChannelSettings);

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
     * Sets a channel's settings, with an audit entry in the same step.
     * @param actor who sets them, how, and from which account
     */
    async set(
      workspace: WorkspaceId,
      channel: ChannelId,
      after: ChannelSettings,
      actor: Pick<NewAuditEntry, 'account' | 'by' | 'how'>,
    ): Promise<void> {
      await stored.update(
        workspace,
        channel,
        (stands) => (areSameSettings(stands ?? noChannelSettings, after) ? stands : after),
        (stands) =>
          audit({ workspace }, { ...entryOf(stands ?? noChannelSettings, after), ...actor, channel }),
      );
    },
  };
}

/** Returns the audit entry of a change: the settings that differ before and after it. */
function entryOf(
  before: ChannelSettings,
  after: ChannelSettings,
): Pick<NewAuditEntry, 'what' | 'before' | 'after'> {
  const [was, is] = [settingsTexts(before), settingsTexts(after)];
  const differs = (_: string, index: number) => was[index] !== is[index];
  return {
    what: 'set channel',
    before: was.filter(differs).join(', '),
    after: is.filter(differs).join(', '),
  };
}

function settingsTexts(settings: ChannelSettings): string[] {
  const { openCards, threads = false } = settings;
  return [
    `open cards ${openCards ?? 'default'}`,
    `threads ${threads ? 'on' : 'off'}`,
    `muted ${mutedText(settings) || 'nothing'}`,
  ];
}

/** A channel that is deleted, archived, or that the bot has left: nothing in it can be posted or updated. */
const LostChannel = z
  .object({
    /** Why: `is_archived`, `not_in_channel`, or `channel_not_found` (deleted, or hidden from the bot). */
    code: z.string(),
    /** Since when (ms). */
    since: z.number(),
    /** The members and channels that were told. */
    told: z.array(z.string()).readonly(),
  })
  .readonly();
type LostChannel = z.infer<typeof LostChannel>;

export const lostChannelCodec = createCodec('lost-channel', LostChannel);

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
        (before) => ({ since: at, told: [], ...before, code }),
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

/**
 * What a channel receives: a whole account, or one of its campaigns. Each scope goes to one channel, for one card per task.
 */
const Subscription = z
  .object({
    account: AccountId,
    /** Absent: the whole account, its inbox included. */
    campaign: CampaignId.exactOptional(),
    channel: ChannelId,
    /** Absent: it comes from the configuration (REVIEW_CHANNEL). */
    by: MemberId.exactOptional(),
    at: z.number(),
    /** Whether its first import is done: from then on, tasks that already waited get cards, as far as there is room. */
    started: z.boolean(),
    /** Whether it is known which campaigns the first import reads, until that is done. */
    isImporting: z.literal(true).exactOptional(),
  })
  .readonly();
export type Subscription = z.infer<typeof Subscription>;

export const subscriptionCodec = createCodec('subscription', Subscription);

/** Members of a set: their text is their identity, so their format must not change. */
export const polledAccountCodec = createCodec('polled-account', AccountRef);

export type Subscriptions = ReturnType<typeof createSubscriptions>;

interface Scope {
  readonly account: AccountId;
  /** Absent: the whole account. */
  readonly campaign?: CampaignId;
}
const scopeText = ({ account, campaign }: Scope) => `${account}/${campaign ?? '*'}`;

interface Scoped extends Scope {
  readonly channel: ChannelId;
  readonly at: number;
}

/** Returns what subscriptions and digests have in common. @param what the audit entry of one says besides */
function createScopedStore<T extends Scoped>(
  stored: ReturnType<typeof createStoredHash<T, string, WorkspaceId>>,
  fieldOf: (one: T) => string,
  audit: AuditWriter,
  what: Pick<NewAuditEntry, 'after'> = {},
) {
  /** Returns all of a workspace, the earliest first. */
  const all = async (workspace: WorkspaceId): Promise<T[]> =>
    [...(await stored.all(workspace)).values()].sort((a, b) => a.at - b.at);
  const ofChannel = async (workspace: WorkspaceId, channel: ChannelId): Promise<T[]> =>
    (await all(workspace)).filter((one) => one.channel === channel);
  const entryOf = ({ account, campaign, channel }: T) => ({
    account,
    ...(campaign === undefined ? {} : { campaign }),
    channel,
    ...what,
  });

  return {
    all,
    ofAccount: async ({ workspace, account }: AccountRef): Promise<T[]> =>
      (await all(workspace)).filter((one) => one.account === account),
    ofChannel,
    entryOf,

    /** Removes and returns those of a channel. */
    async removeChannel(
      workspace: WorkspaceId,
      channel: ChannelId,
      actor: Pick<NewAuditEntry, 'by' | 'how'> = {},
    ): Promise<T[]> {
      const ended = await ofChannel(workspace, channel);
      for (const one of ended)
        await stored.update(
          workspace,
          fieldOf(one),
          () => undefined,
          () => audit({ workspace }, { what: 'unsubscribe', ...actor, ...entryOf(one) }),
        );
      return ended;
    },
  };
}

/** Creates the store of subscriptions: which channel gets what, per workspace. */
export function createSubscriptions(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'subscriptions');
  const stored = createStoredHash(redis, { codec: subscriptionCodec, field: z.string(), key }, logger);
  const memberOf = ({ workspace, account }: AccountRef) => polledAccountCodec.encode({ workspace, account });
  const { entryOf, ...scoped } = createScopedStore<Subscription>(stored, scopeText, audit);

  /** Returns the subscriptions that a campaign's cards may follow: its own, then the account's. */
  async function forCards({ workspace, account }: AccountRef, campaign: CampaignId): Promise<Subscription[]> {
    const scopes = [scopeText({ account, campaign }), scopeText({ account })];
    const found = await stored.getMany(workspace, scopes);
    return scopes.flatMap((scope) => found.get(scope) ?? []);
  }

  return {
    ...scoped,

    /** Stores a subscription (if `only` is given: in place of that channel's). Returns the channel that had it. */
    async put(
      workspace: WorkspaceId,
      subscription: Subscription,
      only?: ChannelId,
    ): Promise<ChannelId | undefined> {
      const { account, channel, by } = subscription;
      const isChanged = (before?: Subscription) => only !== undefined && before?.channel !== only;
      const had = await stored.update(
        workspace,
        scopeText(subscription),
        (before) => (isChanged(before) ? before : subscription),
        (before) => {
          if (before?.channel === channel || isChanged(before)) return undefined;
          const actor = by === undefined ? { how: 'setting' as const } : { by, how: 'command' as const };
          const was = before === undefined ? {} : { before: before.channel };
          return audit({ workspace }, { what: 'subscribe', ...actor, ...entryOf(subscription), ...was });
        },
      );
      await redis.sadd(polledAccountsKey, memberOf({ workspace, account }));
      return had?.channel;
    },

    /** Replaces a subscription as it was read. Resolves to false when it was removed or changed since. */
    replace: (workspace: WorkspaceId, had: Subscription, now: Subscription): Promise<boolean> =>
      stored.replace(workspace, scopeText(had), had, now),

    /** Returns where a campaign's cards go: the campaign's own subscription, else the account's. */
    async forCampaign(ref: AccountRef, campaign: CampaignId): Promise<Subscription | undefined> {
      return (await forCards(ref, campaign))[0];
    },

    /** Returns the channels that a campaign's cards may go to: its own, then the account's. */
    async channelsFor(ref: AccountRef, campaign: CampaignId): Promise<ChannelId[]> {
      return [...new Set((await forCards(ref, campaign)).map(({ channel }) => channel))];
    },

    /** Returns where notices about an account go: its own subscription, else the first of its campaigns. */
    async forNotices(ref: AccountRef): Promise<Subscription | undefined> {
      const found = await scoped.ofAccount(ref);
      return found.find((subscription) => subscription.campaign === undefined) ?? found[0];
    },

    /** Returns every account, in all workspaces, that has a subscription, or had one and has unfinished work. */
    async polledAccounts(): Promise<AccountRef[]> {
      const accounts: AccountRef[] = [];
      for (const text of await redis.smembers(polledAccountsKey)) {
        const decoded = polledAccountCodec.decode(text);
        if (decoded.ok) accounts.push(decoded.value);
        else {
          const { name: kind } = polledAccountCodec;
          const about = { kind, key: polledAccountsKey, reason: decoded.reason, text };
          if (await setAside(redis, logger, about)) await redis.srem(polledAccountsKey, text);
        }
      }
      return accounts;
    },

    async addPolledAccount(ref: AccountRef): Promise<void> {
      await redis.sadd(polledAccountsKey, memberOf(ref));
    },

    async removePolledAccount(ref: AccountRef): Promise<void> {
      await redis.srem(polledAccountsKey, memberOf(ref));
    },
  };
}

/**
 * A channel that gets a digest of the waiting tasks of an account or a campaign, without cards. A scope may have any number.
 */
const Digest = z
  .object({
    account: AccountId,
    /** Absent: all campaigns of the account. */
    campaign: CampaignId.exactOptional(),
    channel: ChannelId,
    by: MemberId,
    at: z.number(),
  })
  .readonly();
type Digest = z.infer<typeof Digest>;

export const digestCodec = createCodec('digest', Digest);

/** Creates the store of digests: which channels are told of which queues, per workspace. */
export function createDigests(redis: Redis, logger?: ErrorLogger, audit: AuditWriter = createAuditWriter()) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'digests');
  const fieldOf = (digest: Digest) => `${digest.channel} ${scopeText(digest)}`;
  const stored = createStoredHash(redis, { codec: digestCodec, field: z.string(), key }, logger);
  const { entryOf, ...scoped } = createScopedStore<Digest>(stored, fieldOf, audit, { after: 'digest' });

  return {
    ...scoped,

    /** Stores a digest, unless the channel already has it. */
    async put(workspace: WorkspaceId, digest: Digest): Promise<void> {
      await stored.update(
        workspace,
        fieldOf(digest),
        (had) => had ?? digest,
        () => audit({ workspace }, { what: 'subscribe', by: digest.by, how: 'command', ...entryOf(digest) }),
      );
    },
  };
}

/** Somebody's choice where an account's inbox messages go. */
const InboxChannel = z
  .object({
    /** Absent: to no channel; Home shows them. */
    channel: ChannelId.exactOptional(),
    /** Absent: it comes from the configuration (INBOX_CHANNEL). */
    by: MemberId.exactOptional(),
    at: z.number(),
  })
  .readonly();
type InboxChannel = z.infer<typeof InboxChannel>;

export const inboxChannelCodec = createCodec('inbox-channel', InboxChannel);

/** Creates the store of the channels chosen for the inboxes of accounts. */
export function createInboxChannels(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'inbox-channels');
  const stored = createStoredHash(redis, { codec: inboxChannelCodec, field: AccountId, key }, logger);

  async function accountsIn(workspace: WorkspaceId, channel: ChannelId): Promise<AccountId[]> {
    const all = await stored.all(workspace);
    return [...all].flatMap(([account, choice]) => (choice.channel === channel ? [account] : []));
  }

  return {
    /** Returns the choice for an account; undefined when nobody has chosen. */
    get: ({ workspace, account }: AccountRef): Promise<InboxChannel | undefined> =>
      stored.get(workspace, account),

    /** Returns the accounts whose inbox goes to a channel. */
    accountsIn,

    /** Stores a choice, with an audit entry in the same step. Returns whether the inbox now goes elsewhere. */
    async choose(
      { workspace, account }: AccountRef,
      choice: InboxChannel,
      { how }: Pick<NewAuditEntry, 'how'>,
    ): Promise<boolean> {
      const { channel, by } = choice;
      let changed = false;
      await stored.update(
        workspace,
        account,
        (before) => {
          changed = before === undefined || before.channel !== channel;
          return changed ? choice : before;
        },
        (before) => {
          const was = before?.channel === undefined ? {} : { before: before.channel };
          const is = channel === undefined ? {} : { channel };
          const actor = { ...(by === undefined ? {} : { by }), ...(how === undefined ? {} : { how }) };
          return audit({ workspace }, { what: 'choose inbox channel', ...actor, account, ...is, ...was });
        },
      );
      return changed;
    },
  };
}
