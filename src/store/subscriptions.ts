import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import { AccountId, AccountRef, CampaignId, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { polledAccountsKey, workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

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
    /** During the first import: the number of campaigns it reads. */
    reads: z.number().exactOptional(),
  })
  .readonly();
export type Subscription = z.infer<typeof Subscription>;

export const subscriptionCodec = createCodec('subscription', Subscription);

/** Members of a set: their text is their identity, so their format must not change. */
export const polledAccountCodec = createCodec('polled-account', AccountRef);

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Returns the wanted subscriptions, earliest first. */
function sorted(
  found: ReadonlyMap<string, Subscription>,
  isWanted: (one: Subscription) => boolean = () => true,
): Subscription[] {
  return [...found.values()].filter(isWanted).sort((a, b) => a.at - b.at);
}

/** Creates the store of subscriptions: which channel gets what, per workspace. */
export function createSubscriptions(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'subscriptions');
  const scopeOf = (account: AccountId, campaign?: CampaignId) => `${account}/${campaign ?? '*'}`;
  const stored = createStoredHash(redis, { codec: subscriptionCodec, field: z.string() }, logger);
  const memberOf = ({ workspace, account }: AccountRef) => polledAccountCodec.encode({ workspace, account });

  async function all(workspace: WorkspaceId): Promise<Subscription[]> {
    return sorted(await stored.all(key(workspace)));
  }

  /** Returns the subscriptions of an account. */
  async function ofAccount({ workspace, account }: AccountRef): Promise<readonly Subscription[]> {
    return sorted(await stored.all(key(workspace)), (one) => one.account === account);
  }

  /** Returns the subscriptions of a channel, of all accounts. */
  async function ofChannel(workspace: WorkspaceId, channel: ChannelId): Promise<Subscription[]> {
    return sorted(await stored.all(key(workspace)), (one) => one.channel === channel);
  }

  return {
    all,
    ofAccount,
    ofChannel,

    /** Stores a subscription. Returns the channel that had its scope before, if it was a different one. */
    async put(workspace: WorkspaceId, subscription: Subscription): Promise<ChannelId | undefined> {
      const scope = scopeOf(subscription.account, subscription.campaign);
      const { account, campaign, channel, by } = subscription;
      const had = await stored.update(
        key(workspace),
        scope,
        () => subscription,
        (before) => {
          if (before?.channel === channel) return undefined;
          const actor = by === undefined ? { how: 'setting' as const } : { by, how: 'command' as const };
          const about = { account, ...(campaign === undefined ? {} : { campaign }), channel };
          const was = before === undefined ? {} : { before: before.channel };
          return audit({ workspace }, { what: 'subscribe', ...actor, ...about, ...was });
        },
      );
      await redis.sadd(polledAccountsKey, memberOf({ workspace, account: subscription.account }));
      return had?.channel === subscription.channel ? undefined : had?.channel;
    },

    /** Follows a channel that Slack has given another id. */
    async followChannel(workspace: WorkspaceId, from: ChannelId, to: ChannelId): Promise<void> {
      for (const { account, campaign } of await ofChannel(workspace, from))
        await stored.update(key(workspace), scopeOf(account, campaign), (before) =>
          before?.channel === from ? { ...before, channel: to } : before,
        );
    },

    /** Removes and returns a channel's subscriptions. */
    async removeChannel(
      workspace: WorkspaceId,
      channel: ChannelId,
      actor: Pick<NewAuditEntry, 'by' | 'how'> = {},
    ): Promise<Subscription[]> {
      const ended = await ofChannel(workspace, channel);
      for (const { account, campaign } of ended) {
        const about = { account, ...(campaign === undefined ? {} : { campaign }), channel };
        await stored.update(
          key(workspace),
          scopeOf(account, campaign),
          () => undefined,
          () => audit({ workspace }, { what: 'unsubscribe', ...actor, ...about }),
        );
      }
      return ended;
    },

    /** Replaces a subscription as it was read. Resolves to false when it was removed or changed since. */
    async replace(workspace: WorkspaceId, had: Subscription, now: Subscription): Promise<boolean> {
      const scope = scopeOf(had.account, had.campaign);
      return stored.replace(key(workspace), scope, had, now);
    },

    /** Returns where a campaign's cards go: the campaign's own subscription, else the account's. */
    async forCampaign(ref: AccountRef, campaign: CampaignId): Promise<Subscription | undefined> {
      const scopes = [scopeOf(ref.account, campaign), scopeOf(ref.account)];
      const found = await stored.getMany(key(ref.workspace), scopes);
      return scopes.map((scope) => found.get(scope)).find((subscription) => subscription !== undefined);
    },

    /** Returns the channels that a campaign's cards may go to: its own, then the account's. */
    async channelsFor(ref: AccountRef, campaign: CampaignId): Promise<ChannelId[]> {
      const scopes = [scopeOf(ref.account, campaign), scopeOf(ref.account)];
      const found = await stored.getMany(key(ref.workspace), scopes);
      const channels = scopes.flatMap((scope) => found.get(scope)?.channel ?? []);
      return [...new Set(channels)];
    },

    /** Returns where notices about an account go: its own subscription, else the first of its campaigns. */
    async forNotices(ref: AccountRef): Promise<Subscription | undefined> {
      const found = await ofAccount(ref);
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
