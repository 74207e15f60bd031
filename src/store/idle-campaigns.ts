import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Campaign } from '../domain/campaign.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** Campaigns that run while none of their tasks waits for a rating, the newest with the highest score. */
const idleKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'idle');

const isIdle = ({ status, tasksNotRated }: Campaign) => status === 'RUNNING' && tasksNotRated === 0;

/**
 * Indexes campaigns as listed now: those that run and have nothing that waits, so that Home shows some of them without reading
 * all. A version before has no index; then all that were listed are indexed.
 * @param changed those that differ from what was listed before
 */
export async function indexIdle(
  redis: Redis,
  ref: AccountRef,
  listed: readonly Campaign[],
  changed: readonly Campaign[],
): Promise<void> {
  const isNew = (await redis.exists(idleKey(ref))) === 0;
  const among = isNew ? listed : changed;
  const idle = among.filter(isIdle);
  const others = among.filter((campaign) => !isIdle(campaign));
  const scored = idle.flatMap(({ id, createdAt = 0 }) => [createdAt, id]);
  if (scored.length > 0) await redis.zadd(idleKey(ref), ...scored);
  if (others.length > 0 && !isNew) await redis.zrem(idleKey(ref), ...others.map(({ id }) => id));
}

/** Returns some of the campaigns that run and have nothing that waits, the newest first, and how many there are. */
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
