import type { Redis } from 'ioredis';
import type { AccountRef, CampaignId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

export type TimesToRate = ReturnType<typeof createTimesToRate>;

/**
 * How many days a campaign's tasks may wait for their rating (`ttr` of new_campaign, 1 to 30). No endpoint tells it
 * afterwards, so it is kept when a campaign is created here, or when somebody says it.
 */
export function createTimesToRate(redis: Redis) {
  const key = (ref: AccountRef) => accountKey(ref, 'times-to-rate');

  return {
    async put(ref: AccountRef, campaign: CampaignId, days: number): Promise<void> {
      await redis.hset(key(ref), campaign, days);
    },

    /** Days, or undefined when it is not known. */
    async get(ref: AccountRef, campaign: CampaignId): Promise<number | undefined> {
      const days = await redis.hget(key(ref), campaign);
      return days === null ? undefined : Number(days);
    },

    /** Days of every campaign of which they are known. */
    async all(ref: AccountRef): Promise<Map<CampaignId, number>> {
      const known = await redis.hgetall(key(ref));
      return new Map(Object.entries(known).map(([campaign, days]) => [campaign, Number(days)]));
    },
  };
}
