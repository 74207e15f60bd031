import type { Redis } from 'ioredis';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { numberCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const timeToRateCodec = numberCodec('time-to-rate');

export type TimesToRate = ReturnType<typeof createTimesToRate>;

/**
 * Creates the store of how many days a campaign's tasks may wait for their rating (`ttr` of new_campaign, 1 to 30). No
 * endpoint returns it later, so it is stored when a campaign is created in Slack, or when somebody enters it.
 */
export function createTimesToRate(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: timeToRateCodec, field: CampaignId }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'times-to-rate');

  return {
    async put(ref: AccountRef, campaign: CampaignId, days: number): Promise<void> {
      await stored.set(key(ref), campaign, days);
    },

    /** Returns the days, or undefined when they are unknown. */
    async get(ref: AccountRef, campaign: CampaignId): Promise<number | undefined> {
      return stored.get(key(ref), campaign);
    },

    /** Returns the known days of several campaigns. */
    async getMany(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<Map<CampaignId, number>> {
      return stored.getMany(key(ref), campaigns);
    },
  };
}
