import type { Redis } from 'ioredis';
import { CampaignState } from '../domain/campaign-state.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const campaignStateCodec = createCodec('campaign-state', CampaignState);

export type CampaignStates = ReturnType<typeof createCampaignStates>;

/** Creates the store of the statuses of campaigns as they were confirmed, of which people are told. */
export function createCampaignStates(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'campaign-states');
  const stored = createStoredHash(redis, { codec: campaignStateCodec, field: CampaignId }, logger);

  return {
    all: (ref: AccountRef): Promise<Map<CampaignId, CampaignState>> => stored.all(key(ref)),

    /** Changes a campaign's state. `change` returns the state it was given, or undefined, to leave it. */
    async update(
      ref: AccountRef,
      campaign: CampaignId,
      change: (before: CampaignState | undefined) => CampaignState | undefined,
    ): Promise<void> {
      await stored.update(key(ref), campaign, (before) => change(before) ?? before);
    },

    /** Puts a state in the place of another one as it was read. Resolves false when it has changed since. */
    async replace(
      ref: AccountRef,
      campaign: CampaignId,
      before: CampaignState | undefined,
      after: CampaignState,
    ): Promise<boolean> {
      return stored.replace(key(ref), campaign, before, after);
    },
  };
}
