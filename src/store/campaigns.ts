import type { Redis } from 'ioredis';
import type { Campaign } from '../domain/campaign.ts';
import type { AccountRef, CampaignId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** A campaign's last read in full: the counts it had in the list then, when (ms), and the CSV's size in bytes. */
export interface LastRead {
  readonly counts: string;
  readonly at: number;
  readonly bytes: number;
}

export type Campaigns = ReturnType<typeof createCampaigns>;

/** What the last look saw of each campaign, and what of it was read in full. */
export function createCampaigns(redis: Redis) {
  const listKey = (ref: AccountRef) => accountKey(ref, 'campaigns');
  const lookedAtKey = (ref: AccountRef) => accountKey(ref, 'looked-at');
  const touchedKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'touched');
  const keptAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'kept-at');
  const readsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'reads');

  async function lastReads(ref: AccountRef): Promise<Map<CampaignId, LastRead>> {
    const reads = await redis.hgetall(readsKey(ref));
    return new Map(Object.entries(reads).map(([id, text]) => [id, JSON.parse(text) as LastRead]));
  }

  return {
    /** Every campaign as of the last look. */
    async all(ref: AccountRef): Promise<Campaign[]> {
      return (await redis.hvals(listKey(ref))).map((text) => JSON.parse(text) as Campaign);
    },

    async get(ref: AccountRef, id: CampaignId): Promise<Campaign | undefined> {
      const text = await redis.hget(listKey(ref), id);
      return text === null ? undefined : (JSON.parse(text) as Campaign);
    },

    /** Keeps what the marketplace's list says now; writes only what differs. */
    async keep(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
      const had = await redis.hgetall(listKey(ref));
      const changed = listed.flatMap((campaign) => {
        const text = JSON.stringify(campaign);
        return had[campaign.id] === text ? [] : [campaign.id, text];
      });
      if (changed.length > 0) await redis.hset(listKey(ref), ...changed);
      await redis.set(keptAtKey(ref), Date.now());
    },

    /** When the list was kept last (ms), or undefined when it never was. */
    async keptAt(ref: AccountRef): Promise<number | undefined> {
      const at = await redis.get(keptAtKey(ref));
      return at === null ? undefined : Number(at);
    },

    lastReads,

    async noteRead(ref: AccountRef, id: CampaignId, read: LastRead): Promise<void> {
      await redis.hset(readsKey(ref), id, JSON.stringify(read));
    },

    /** A look was taken in as a whole. */
    async noteLooked(ref: AccountRef, at: number): Promise<void> {
      await redis.set(lookedAtKey(ref), at);
    },

    /** When the last whole look was (ms), or undefined when none is on record. */
    async lookedAt(ref: AccountRef): Promise<number | undefined> {
      const at = await redis.get(lookedAtKey(ref));
      return at === null ? undefined : Number(at);
    },

    /** We have rated in a campaign: counts alone may not tell what else has changed in it. */
    async noteTouched(ref: AccountRef, id: CampaignId, at: number): Promise<void> {
      await redis.hset(touchedKey(ref), id, at);
    },

    /** When we last rated in each campaign (ms). */
    async touched(ref: AccountRef): Promise<Map<CampaignId, number>> {
      const touched = await redis.hgetall(touchedKey(ref));
      return new Map(Object.entries(touched).map(([id, at]) => [id, Number(at)]));
    },
  };
}
