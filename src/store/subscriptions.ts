import type { Redis } from 'ioredis';
import type {
  AccountId,
  AccountRef,
  CampaignId,
  ChannelId,
  MemberId,
  TaskId,
  WorkspaceId,
} from '../domain/terms.ts';
import { polledAccountsKey, workspaceKey } from './keys.ts';

/** What a channel gets: a whole account, or one of its campaigns. Each scope goes to one channel: one card per task. */
export interface Subscription {
  readonly account: AccountId;
  /** Absent: the whole account, its inbox included. */
  readonly campaign?: CampaignId;
  readonly channel: ChannelId;
  /** Absent: the configuration (REVIEW_CHANNEL). */
  readonly by?: MemberId;
  readonly at: number;
  /** Whether its first look is done: what waited already has been sorted into cards and backlog. */
  readonly started: boolean;
  /** While its first look is under way: how many campaigns that reads. */
  readonly reads?: number;
  /** Once all that waited is known: which of it gets cards. Decided once, whoever finishes the first look. */
  readonly firstCards?: readonly TaskId[];
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** KEYS: subscriptions. ARGV: scope, as it was, as it shall be. Gives 1, or 0 when it is something else by now. */
const replaceScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/** Which channel gets what, per workspace. */
export function createSubscriptions(redis: Redis) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'subscriptions');
  const scopeOf = (account: AccountId, campaign?: CampaignId) => `${account}/${campaign ?? '*'}`;

  async function all(workspace: WorkspaceId): Promise<Subscription[]> {
    const found = await redis.hvals(key(workspace));
    return found.map((text) => JSON.parse(text) as Subscription).sort((a, b) => a.at - b.at);
  }

  async function ofAccount({ workspace, account }: AccountRef): Promise<Subscription[]> {
    return (await all(workspace)).filter((subscription) => subscription.account === account);
  }

  return {
    all,
    ofAccount,

    /** Subscribes. Gives the channel the scope went to before, when that was another one. */
    async put(workspace: WorkspaceId, subscription: Subscription): Promise<ChannelId | undefined> {
      const scope = scopeOf(subscription.account, subscription.campaign);
      const had = await redis.hget(key(workspace), scope);
      await redis.hset(key(workspace), scope, JSON.stringify(subscription));
      await redis.sadd(polledAccountsKey, JSON.stringify({ workspace, account: subscription.account }));
      const channel = had === null ? undefined : (JSON.parse(had) as Subscription).channel;
      return channel === subscription.channel ? undefined : channel;
    },

    /** Ends a channel's subscriptions. Gives those that ended. */
    async removeChannel(workspace: WorkspaceId, channel: ChannelId): Promise<Subscription[]> {
      const ended = (await all(workspace)).filter((subscription) => subscription.channel === channel);
      for (const { account, campaign } of ended) await redis.hdel(key(workspace), scopeOf(account, campaign));
      return ended;
    },

    /** Notes how far its first look is. Gives false when it was ended, replaced or changed since it was read. */
    async replace(workspace: WorkspaceId, had: Subscription, now: Subscription): Promise<boolean> {
      const scope = scopeOf(had.account, had.campaign);
      const texts = [JSON.stringify(had), JSON.stringify(now)];
      return (await redis.eval(replaceScript, 1, key(workspace), scope, ...texts)) === 1;
    },

    /** Where a campaign's cards go: the channel of the campaign, else that of the account. */
    async forCampaign(ref: AccountRef, campaign: CampaignId): Promise<Subscription | undefined> {
      const scopes = [scopeOf(ref.account, campaign), scopeOf(ref.account)];
      const [own, whole] = await redis.hmget(key(ref.workspace), ...scopes);
      const found = own ?? whole;
      return found == null ? undefined : (JSON.parse(found) as Subscription);
    },

    /** Where an account's inbox is announced: the channel of the account, else the first of one of its campaigns. */
    async forInbox(ref: AccountRef): Promise<Subscription | undefined> {
      const found = await ofAccount(ref);
      return found.find((subscription) => subscription.campaign === undefined) ?? found[0];
    },

    /** Every account that has a subscription, or had one and has something left to look after; in all workspaces. */
    async polledAccounts(): Promise<AccountRef[]> {
      return (await redis.smembers(polledAccountsKey)).map((text) => JSON.parse(text) as AccountRef);
    },

    async addPolledAccount(ref: AccountRef): Promise<void> {
      await redis.sadd(polledAccountsKey, JSON.stringify({ workspace: ref.workspace, account: ref.account }));
    },

    async removePolledAccount(ref: AccountRef): Promise<void> {
      await redis.srem(polledAccountsKey, JSON.stringify({ workspace: ref.workspace, account: ref.account }));
    },
  };
}
