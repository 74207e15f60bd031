import { Redis } from 'ioredis';
import { type AccountRef, CampaignId, ChannelId, MemberId, WorkspaceId } from '../src/domain/terms.ts';
import { createAccounts } from '../src/store/accounts.ts';
import { createSubscriptions } from '../src/store/channels.ts';
import { createVault } from '../src/store/encryption.ts';

const workspace = WorkspaceId.parse('T0SANDBOX');
const memberOf = (index: number) => MemberId.parse(`U9${String(index).padStart(5, '0')}`);

/** Returns the channel of a seeded account. */
const channelOf = (index: number) => `C9${String(index).padStart(5, '0')}`;

/** Returns a workspace with this many members besides Ann, and a channel for each of them. */
export const workspaceOfMembers = (count: number) => ({
  channels: [
    { id: 'C01REVIEW', name: 'review' },
    ...Array.from({ length: count }, (_, index) => ({ id: channelOf(index), name: `review-${index}` })),
  ],
  users: [
    { id: 'U01ANN', name: 'ann', real_name: 'Ann', is_admin: true },
    ...Array.from({ length: count }, (_, index) => ({
      id: memberOf(index),
      name: `member-${index}`,
      real_name: `Member ${index}`,
    })),
  ],
});

/** An account of a benchmark: its key, and the campaign that its channel subscribes to; absent: all campaigns. */
export interface SeededAccount {
  readonly key: string;
  readonly campaigns?: readonly string[];
}

/** Connects accounts before any bot has started, each by a different member and with its own channel. */
export async function seedAccounts(
  redisUrl: string,
  wanted: readonly SeededAccount[],
): Promise<AccountRef[]> {
  const redis = new Redis(redisUrl);
  const accounts = createAccounts(redis, createVault([Buffer.alloc(32, 7)]));
  const subscriptions = createSubscriptions(redis);
  const refs: AccountRef[] = [];
  try {
    for (const [index, { key, campaigns }] of wanted.entries()) {
      const member = memberOf(index);
      const ref = await accounts.create(workspace, key, `account ${index}`);
      if (ref === undefined) throw new Error('the name is taken');
      await accounts.connect(ref, member, key);
      const subscription = {
        account: ref.account,
        channel: ChannelId.parse(channelOf(index)),
        by: member,
        at: Date.now(),
        started: true,
      };
      for (const campaign of campaigns ?? [undefined])
        await subscriptions.put(workspace, {
          ...subscription,
          ...(campaign === undefined ? {} : { campaign: CampaignId.parse(campaign) }),
        });
      refs.push(ref);
    }
  } finally {
    redis.disconnect();
  }
  return refs;
}
