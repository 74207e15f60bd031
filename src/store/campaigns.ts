import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Campaign } from '../domain/campaign.ts';
import { MessageRef } from '../domain/live-message.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import { createCodec, numberCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** A campaign's last read in full: the counts it had in the list then, when (ms), and the CSV's size in bytes. */
const LastImport = z.object({ counts: z.string(), at: z.number(), bytes: z.number() }).readonly();
export type LastImport = z.infer<typeof LastImport>;

/** What is on record of an account's looks. */
const PollRecord = z
  .object({
    /** When the last whole one was (ms); absent when there was none yet. */
    at: z.number().exactOptional(),
    /** How many whole ones there were. */
    polls: z.number(),
    /** The run of the Redis server that this was noted in, '' where it does not tell. */
    server: z.string(),
  })
  .readonly();
export type PollRecord = z.infer<typeof PollRecord>;

/** A card that stands in a channel although nothing is known of it, and the round of its task that it shows. */
const FoundCard = z.object({ ...MessageRef.unwrap().shape, round: z.number() }).readonly();
export type FoundCard = z.infer<typeof FoundCard>;

export const campaignCodec = createCodec('campaign', Campaign);
export const lastImportCodec = createCodec('last-import', LastImport);
export const foundCardCodec = createCodec('found-card', FoundCard);
export const pollRecordCodec = createCodec('poll-record', PollRecord);
/** How often a first import has failed, and when we last rated in a campaign or stored the list (ms). */
const firstImportCodec = numberCodec('first-import');
const timeCodec = numberCodec('time');

export type Campaigns = ReturnType<typeof createCampaigns>;

/** The server that has the keys tells which run of it this is: asked in a script, so that it is that node of a cluster. */
const thisServer = `
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
`;

/** KEYS: looks. Gives at, looks, server as noted, and the server now. */
const readPollsScript = `${thisServer}
local noted = redis.call('HMGET', KEYS[1], 'at', 'looks', 'server')
return { noted[1], noted[2], noted[3], server }`;

/** KEYS: looks. ARGV: when. Gives how many looks there were. */
const recordPollScript = `${thisServer}
redis.call('HSET', KEYS[1], 'at', ARGV[1], 'server', server)
return redis.call('HINCRBY', KEYS[1], 'looks', 1)`;

/** KEYS: looks. */
const recordReconciledScript = `${thisServer}
redis.call('HSETNX', KEYS[1], 'looks', 0)
redis.call('HSET', KEYS[1], 'server', server)`;

/** KEYS: first reads. ARGV: campaign. Counts a failure of a read that is still to be done. */
const recordFailureScript = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], 1) end`;

/** Cards that were found are remembered for so long: whoever reads their campaign knows of them. */
const foundSeconds = 30 * 86_400;

const listKey = (ref: AccountRef) => accountKey(ref, 'campaigns');
const pollRecordKey = (ref: AccountRef) => accountKey(ref, 'looks');

/** Returns the ids of all campaigns as of the last look. */
export async function campaignIds(redis: Redis, ref: AccountRef): Promise<CampaignId[]> {
  return z.array(CampaignId).parse(await redis.hkeys(listKey(ref)));
}

/** Forgets the record of looks, so that the next one searches the channels for cards of unknown tasks. */
export async function requestReconcile(redis: Redis, ref: AccountRef): Promise<void> {
  await redis.del(pollRecordKey(ref));
}

/** What the last look saw of each campaign, and what of it was read in full. */
export function createCampaigns(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: campaignCodec, field: CampaignId }, logger);
  const imports = createStoredHash(redis, { codec: lastImportCodec, field: CampaignId }, logger);
  const cards = createStoredHash(redis, { codec: foundCardCodec, field: TaskId }, logger);
  const firstImports = createStoredHash(redis, { codec: firstImportCodec, field: CampaignId }, logger);
  const times = createStoredHash(redis, { codec: timeCodec, field: CampaignId }, logger);
  const firstImportsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'first-reads');
  const foundKey = (ref: AccountRef) => accountKey(ref, 'cards-found');
  const ratedAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'touched');
  const storedAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'kept-at');
  const importsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'reads');

  return {
    /** Every campaign as of the last look. */
    async all(ref: AccountRef): Promise<Campaign[]> {
      return [...(await stored.all(listKey(ref))).values()];
    },

    async get(ref: AccountRef, id: CampaignId): Promise<Campaign | undefined> {
      return stored.get(listKey(ref), id);
    },

    /** Keeps what the marketplace's list says now; writes only what differs. */
    async store(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
      const had = await redis.hgetall(listKey(ref));
      const changed = listed.flatMap((campaign) => {
        const text = campaignCodec.encode(campaign);
        return had[campaign.id] === text ? [] : [campaign.id, text];
      });
      if (changed.length > 0) await redis.hset(listKey(ref), ...changed);
      await redis.set(storedAtKey(ref), Date.now());
    },

    /** When the list was kept last (ms), or undefined when it never was. */
    async storedAt(ref: AccountRef): Promise<number | undefined> {
      const at = timeCodec.decode((await redis.get(storedAtKey(ref))) ?? '');
      return at.ok ? at.value : undefined;
    },

    async lastImports(ref: AccountRef): Promise<Map<CampaignId, LastImport>> {
      return imports.all(importsKey(ref));
    },

    async recordImport(ref: AccountRef, id: CampaignId, read: LastImport): Promise<void> {
      await imports.set(importsKey(ref), id, read);
    },

    /** A look was taken in as a whole. Gives how many there were. */
    async recordPoll(ref: AccountRef, at: number): Promise<number> {
      return Number(await redis.eval(recordPollScript, 1, pollRecordKey(ref), at));
    },

    /** What is on record of looks, undefined when nothing is; and the run of the server that says so. */
    async polls(ref: AccountRef): Promise<{ noted: PollRecord | undefined; server: string }> {
      const answer = (await redis.eval(readPollsScript, 1, pollRecordKey(ref))) as (string | null)[];
      const [at, looks, noted, server] = answer;
      if (looks == null) return { noted: undefined, server: server ?? '' };
      const about = at == null ? {} : { at: Number(at) };
      const text = JSON.stringify({ ...about, polls: Number(looks), server: noted ?? '' });
      const decoded = pollRecordCodec.decode(text);
      if (decoded.ok) return { noted: decoded.value, server: server ?? '' };
      const { reason } = decoded;
      await setAside(redis, logger, {
        kind: pollRecordCodec.name,
        key: pollRecordKey(ref),
        reason,
        text: String(answer),
      });
      await redis.del(pollRecordKey(ref));
      return { noted: undefined, server: server ?? '' };
    },

    /** Cards that this server may know nothing of were looked for in the channels. */
    async recordReconciled(ref: AccountRef): Promise<void> {
      await redis.eval(recordReconciledScript, 1, pollRecordKey(ref));
    },

    /** Keeps cards that were found, until their tasks are taken in. */
    async storeFoundCards(ref: AccountRef, found: ReadonlyMap<TaskId, FoundCard>): Promise<void> {
      if (found.size === 0) return;
      const entries = [...found].flatMap(([id, card]) => [id, foundCardCodec.encode(card)]);
      await redis
        .multi()
        .hset(foundKey(ref), ...entries)
        .expire(foundKey(ref), foundSeconds)
        .exec();
    },

    async foundCards(ref: AccountRef): Promise<Map<TaskId, FoundCard>> {
      return cards.all(foundKey(ref));
    },

    async removeFoundCards(ref: AccountRef, ids: readonly TaskId[]): Promise<void> {
      if (ids.length > 0) await redis.hdel(foundKey(ref), ...ids);
    },

    /** Campaigns whose next read is part of a first look: what it finds waited already. */
    async requestFirstImport(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      for (const id of ids) await redis.hsetnx(firstImportsKey(ref), id, 0);
    },

    /** Those that are still to be read so, and how often that was tried in vain. */
    async firstImports(ref: AccountRef): Promise<Map<CampaignId, number>> {
      return firstImports.all(firstImportsKey(ref));
    },

    async recordFirstImportFailure(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.eval(recordFailureScript, 1, firstImportsKey(ref), id);
    },

    /** A campaign was read so, or is not there to be read any more. */
    async finishFirstImport(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.hdel(firstImportsKey(ref), id);
    },

    /** We have rated in a campaign: counts alone may not tell what else has changed in it. */
    async recordRated(ref: AccountRef, id: CampaignId, at: number): Promise<void> {
      await times.set(ratedAtKey(ref), id, at);
    },

    /** When we last rated in each campaign (ms). */
    async ratedAt(ref: AccountRef): Promise<Map<CampaignId, number>> {
      return times.all(ratedAtKey(ref));
    },
  };
}
