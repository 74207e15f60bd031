import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Campaign } from '../domain/campaign.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** Running campaigns none of whose tasks waits for a rating, the newest with the highest score. */
export const idleKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'idle');

const isIdle = ({ status, tasksNotRated }: Campaign) => status === 'RUNNING' && tasksNotRated === 0;

/**
 * Returns the changes to the index of running campaigns that have nothing waiting, of which Home shows some without reading
 * all: scores and ids to add, and ids to remove.
 */
export function idleChanges(campaigns: readonly Campaign[]) {
  return {
    add: campaigns.filter(isIdle).flatMap(({ id, createdAt = 0 }) => [createdAt, id]),
    remove: campaigns.filter((campaign) => !isIdle(campaign)).map(({ id }) => id),
  };
}

/** Returns a range of the running campaigns that have nothing waiting, newest first, and their total number. */
export async function idleCampaigns(
  redis: Redis,
  ref: AccountRef,
  { from = 0, limit = 1_000 } = {},
): Promise<{ readonly ids: CampaignId[]; readonly count: number }> {
  const [ids, count] = await Promise.all([
    limit > 0 ? redis.zrevrange(idleKey(ref), from, from + limit - 1) : [],
    redis.zcard(idleKey(ref)),
  ]);
  return { ids: z.array(CampaignId).parse(ids), count };
}
