import type { Redis } from 'ioredis';
import type { Campaign } from '../domain/campaign.ts';
import type { MessageRef } from '../domain/task.ts';
import type { AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** A campaign's last read in full: the counts it had in the list then, when (ms), and the CSV's size in bytes. */
export interface LastImport {
  readonly counts: string;
  readonly at: number;
  readonly bytes: number;
}

/** What is on record of an account's looks. */
export interface PollRecord {
  /** When the last whole one was (ms); absent when there was none yet. */
  readonly at?: number;
  /** How many whole ones there were. */
  readonly polls: number;
  /** The run of the Redis server that this was noted in, '' where it does not tell. */
  readonly server: string;
}

/** A card that stands in a channel although nothing is known of it, and the round of its task that it shows. */
export type FoundCard = MessageRef & { readonly round: number };

export type Campaigns = ReturnType<typeof createCampaigns>;

/** The server that has the keys tells which run of it this is: asked in a script, so that it is that node of a cluster. */
const thisServer = `
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
`;

/** KEYS: looks. Gives at, looks, server as noted, and the server now. */
const looksScript = `${thisServer}
local noted = redis.call('HMGET', KEYS[1], 'at', 'looks', 'server')
return { noted[1], noted[2], noted[3], server }`;

/** KEYS: looks. ARGV: when. Gives how many looks there were. */
const lookedScript = `${thisServer}
redis.call('HSET', KEYS[1], 'at', ARGV[1], 'server', server)
return redis.call('HINCRBY', KEYS[1], 'looks', 1)`;

/** KEYS: looks. */
const recalledScript = `${thisServer}
redis.call('HSETNX', KEYS[1], 'looks', 0)
redis.call('HSET', KEYS[1], 'server', server)`;

/** KEYS: first reads. ARGV: campaign. Counts a failure of a read that is still to be done. */
const failedScript = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], 1) end`;

/** Cards that were found are remembered for so long: whoever reads their campaign knows of them. */
const foundSeconds = 30 * 86_400;

/** What the last look saw of each campaign, and what of it was read in full. */
export function createCampaigns(redis: Redis) {
  const listKey = (ref: AccountRef) => accountKey(ref, 'campaigns');
  const looksKey = (ref: AccountRef) => accountKey(ref, 'looks');
  const firstKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'first-reads');
  const foundKey = (ref: AccountRef) => accountKey(ref, 'cards-found');
  const touchedKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'touched');
  const keptAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'kept-at');
  const readsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'reads');

  async function lastImports(ref: AccountRef): Promise<Map<CampaignId, LastImport>> {
    const reads = await redis.hgetall(readsKey(ref));
    return new Map(Object.entries(reads).map(([id, text]) => [id, JSON.parse(text) as LastImport]));
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
    async store(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
      const had = await redis.hgetall(listKey(ref));
      const changed = listed.flatMap((campaign) => {
        const text = JSON.stringify(campaign);
        return had[campaign.id] === text ? [] : [campaign.id, text];
      });
      if (changed.length > 0) await redis.hset(listKey(ref), ...changed);
      await redis.set(keptAtKey(ref), Date.now());
    },

    /** When the list was kept last (ms), or undefined when it never was. */
    async storedAt(ref: AccountRef): Promise<number | undefined> {
      const at = await redis.get(keptAtKey(ref));
      return at === null ? undefined : Number(at);
    },

    lastImports,

    async recordImport(ref: AccountRef, id: CampaignId, read: LastImport): Promise<void> {
      await redis.hset(readsKey(ref), id, JSON.stringify(read));
    },

    /** A look was taken in as a whole. Gives how many there were. */
    async recordPoll(ref: AccountRef, at: number): Promise<number> {
      return Number(await redis.eval(lookedScript, 1, looksKey(ref), at));
    },

    /** What is on record of looks, undefined when nothing is; and the run of the server that says so. */
    async polls(ref: AccountRef): Promise<{ noted: PollRecord | undefined; server: string }> {
      const answer = (await redis.eval(looksScript, 1, looksKey(ref))) as (string | null)[];
      const [at, looks, noted, server] = answer;
      if (looks == null) return { noted: undefined, server: server ?? '' };
      return {
        noted: { ...(at == null ? {} : { at: Number(at) }), polls: Number(looks), server: noted ?? '' },
        server: server ?? '',
      };
    },

    /** Cards that this server may know nothing of were looked for in the channels. */
    async recordReconciled(ref: AccountRef): Promise<void> {
      await redis.eval(recalledScript, 1, looksKey(ref));
    },

    /** Keeps cards that were found, until their tasks are taken in. */
    async storeFoundCards(ref: AccountRef, cards: ReadonlyMap<TaskId, FoundCard>): Promise<void> {
      if (cards.size === 0) return;
      const entries = [...cards].flatMap(([id, card]) => [id, JSON.stringify(card)]);
      await redis
        .multi()
        .hset(foundKey(ref), ...entries)
        .expire(foundKey(ref), foundSeconds)
        .exec();
    },

    async foundCards(ref: AccountRef): Promise<Map<TaskId, FoundCard>> {
      const found = await redis.hgetall(foundKey(ref));
      return new Map(Object.entries(found).map(([id, text]) => [id, JSON.parse(text) as FoundCard]));
    },

    async removeFoundCards(ref: AccountRef, ids: readonly TaskId[]): Promise<void> {
      if (ids.length > 0) await redis.hdel(foundKey(ref), ...ids);
    },

    /** Campaigns whose next read is part of a first look: what it finds waited already. */
    async requestFirstImport(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      for (const id of ids) await redis.hsetnx(firstKey(ref), id, 0);
    },

    /** Those that are still to be read so, and how often that was tried in vain. */
    async firstImports(ref: AccountRef): Promise<Map<CampaignId, number>> {
      const reads = await redis.hgetall(firstKey(ref));
      return new Map(Object.entries(reads).map(([id, failures]) => [id, Number(failures)]));
    },

    async recordFirstImportFailure(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.eval(failedScript, 1, firstKey(ref), id);
    },

    /** A campaign was read so, or is not there to be read any more. */
    async finishFirstImport(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.hdel(firstKey(ref), id);
    },

    /** We have rated in a campaign: counts alone may not tell what else has changed in it. */
    async recordRated(ref: AccountRef, id: CampaignId, at: number): Promise<void> {
      await redis.hset(touchedKey(ref), id, at);
    },

    /** When we last rated in each campaign (ms). */
    async ratedAt(ref: AccountRef): Promise<Map<CampaignId, number>> {
      const touched = await redis.hgetall(touchedKey(ref));
      return new Map(Object.entries(touched).map(([id, at]) => [id, Number(at)]));
    },
  };
}
