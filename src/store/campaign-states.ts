import type { Redis } from 'ioredis';
import { z } from 'zod';
import { CampaignState, isUnsettled } from '../domain/campaign-state.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { changeIf } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const campaignStateCodec = createCodec('campaign-state', CampaignState);

const ids = z.array(CampaignId);

export type CampaignStates = ReturnType<typeof createCampaignStates>;

/** Creates the store of confirmed campaign statuses, which people are told of. */
export function createCampaignStates(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'campaign-states');
  const unsettledKey = (ref: AccountRef) => accountKey(ref, 'campaign-states', 'unsettled');
  const stored = createStoredHash(redis, { codec: campaignStateCodec, field: CampaignId }, logger);

  return {
    all: (ref: AccountRef): Promise<Map<CampaignId, CampaignState>> => stored.all(key(ref)),

    /** Returns the campaigns that still require action, without reading the others. */
    async unsettled(ref: AccountRef): Promise<Map<CampaignId, CampaignState>> {
      const found = await stored.getMany(key(ref), ids.parse(await redis.smembers(unsettledKey(ref))));
      return new Map([...found].filter(([, state]) => isUnsettled(state)));
    },

    async get(ref: AccountRef, campaign: CampaignId): Promise<CampaignState | undefined> {
      return stored.get(key(ref), campaign);
    },

    /** Replaces a state as it was read. Resolves to false when it has changed since. */
    async replace(
      ref: AccountRef,
      campaign: CampaignId,
      before: CampaignState | undefined,
      after: CampaignState,
    ): Promise<boolean> {
      // Added before the state, and removed after it: a process that dies in between leaves one too many, which is harmless.
      if (isUnsettled(after)) await redis.sadd(unsettledKey(ref), campaign);
      const isDone = await stored.replace(key(ref), campaign, before, after);
      if (isDone && before !== undefined && isUnsettled(before) && !isUnsettled(after)) {
        const text = campaignStateCodec.encode(after);
        await changeIf(redis, [[text, 'HGET', key(ref), campaign]], [['SREM', unsettledKey(ref), campaign]]);
      }
      return isDone;
    },
  };
}
