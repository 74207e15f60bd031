import type { Redis } from 'ioredis';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { numberCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createOpenTasks, type OpenTasks } from './open-tasks.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const timeToRateCodec = numberCodec('time-to-rate');

export type TimesToRate = ReturnType<typeof createTimesToRate>;

/**
 * Creates the store of how many days a campaign's tasks may wait for their rating (`ttr` of new_campaign, 1 to 30). No
 * endpoint returns it later, so it is stored when a campaign is created in Slack, or when somebody enters it. The index of
 * open tasks is updated in the same step.
 */
export function createTimesToRate(
  redis: Redis,
  logger?: ErrorLogger,
  openTasks: Pick<OpenTasks, 'putDays'> = createOpenTasks(redis),
) {
  const stored = createStoredHash(redis, { codec: timeToRateCodec, field: CampaignId }, logger);
  const key = (ref: AccountRef) => accountKey(ref, 'times-to-rate');

  return {
    /**
     * Stores a campaign's days. Resolves to the previous ones.
     * @param stepOf returns the audit entry that is added, given the previous days; not called when nothing changes
     */
    async put(
      ref: AccountRef,
      campaign: CampaignId,
      days: number,
      stepOf: (before: number | undefined) => AuditStep | undefined = () => undefined,
    ): Promise<number | undefined> {
      for (;;) {
        const text = (await redis.hget(key(ref), campaign)) ?? '';
        const before = text === '' ? undefined : await stored.valueOf(key(ref), campaign, text);
        if (before === days) return before;
        // An unreadable value was set aside: there is none now.
        const had = before === undefined ? ((await redis.hget(key(ref), campaign)) ?? '') : text;
        if (await openTasks.putDays(ref, campaign, had, timeToRateCodec.encode(days), stepOf(before)))
          return before;
      }
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
