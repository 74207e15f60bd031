import type { Redis } from 'ioredis';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { numberCodec } from './codec.ts';
import { daysKey } from './open-tasks.ts';
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

  return {
    /**
     * Stores a campaign's days. Resolves to the previous ones.
     * @param stepOf returns the audit entry that is added, given the previous days; not called when nothing changes
     */
    put(
      ref: AccountRef,
      campaign: CampaignId,
      days: number,
      stepOf?: (before: number | undefined) => AuditStep | undefined,
    ): Promise<number | undefined> {
      return stored.update(daysKey(ref), campaign, () => days, stepOf);
    },

    /** Returns the days, or undefined when they are unknown. */
    async get(ref: AccountRef, campaign: CampaignId): Promise<number | undefined> {
      return stored.get(daysKey(ref), campaign);
    },

    /** Returns the known days of several campaigns. */
    async getMany(ref: AccountRef, campaigns: readonly CampaignId[]): Promise<Map<CampaignId, number>> {
      return stored.getMany(daysKey(ref), campaigns);
    },
  };
}
