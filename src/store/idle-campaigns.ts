import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Campaign } from '../domain/campaign.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** Running campaigns none of whose tasks waits for a rating, the newest with the highest score. */
const idleKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'idle');

const isIdle = ({ status, tasksNotRated }: Campaign) => status === 'RUNNING' && tasksNotRated === 0;

/**
 * Indexes the running campaigns of the current list that have nothing waiting, so that Home shows some of them without
 * reading all. Earlier versions have no index; then all listed ones are indexed.
 * @param changed campaigns that differ from the previous list
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
