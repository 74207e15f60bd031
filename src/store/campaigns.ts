import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Campaign } from '../domain/campaign.ts';
import { MessageRef } from '../domain/live-message.ts';
import { type AccountRef, CampaignId, TaskId } from '../domain/terms.ts';
import { createCodec, numberCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** A campaign's last import: its counts in the list at that time, when it was (ms), and the CSV's size in bytes. */
const LastImport = z.object({ counts: z.string(), at: z.number(), bytes: z.number() }).readonly();
export type LastImport = z.infer<typeof LastImport>;

/** An account's polls so far. */
const PollRecord = z
  .object({
    /** When the last complete one was (ms); absent when there was none yet. */
    at: z.number().exactOptional(),
    /** How many complete ones there were. */
    polls: z.number(),
    /** The run of the Redis server that recorded this; '' when it is unknown. */
    server: z.string(),
  })
  .readonly();
export type PollRecord = z.infer<typeof PollRecord>;

/** A card that was found in a channel without a record, and the round of its task that it shows. */
const FoundCard = z.object({ ...MessageRef.unwrap().shape, round: z.number() }).readonly();
export type FoundCard = z.infer<typeof FoundCard>;

export const campaignCodec = createCodec('campaign', Campaign);
export const lastImportCodec = createCodec('last-import', LastImport);
export const foundCardCodec = createCodec('found-card', FoundCard);
export const pollRecordCodec = createCodec('poll-record', PollRecord);
/** How often a first import has failed, and when the bot last rated in a campaign or stored the list (ms). */
const firstImportCodec = numberCodec('first-import');
const timeCodec = numberCodec('time');

export type Campaigns = ReturnType<typeof createCampaigns>;

/** Reads which run of Redis this is: in a script, so that in a cluster the node that has the keys answers. */
const thisServer = `
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
`;

/** KEYS: polls. Returns the time, number and server of the record, and the server now. */
const readPollsScript = `${thisServer}
local recorded = redis.call('HMGET', KEYS[1], 'at', 'looks', 'server')
return { recorded[1], recorded[2], recorded[3], server }`;

/** KEYS: polls. ARGV: when (ms). Returns how many polls there were. */
const recordPollScript = `${thisServer}
redis.call('HSET', KEYS[1], 'at', ARGV[1], 'server', server)
return redis.call('HINCRBY', KEYS[1], 'looks', 1)`;

/** KEYS: polls. */
const recordReconciledScript = `${thisServer}
redis.call('HSETNX', KEYS[1], 'looks', 0)
redis.call('HSET', KEYS[1], 'server', server)`;

/** KEYS: first imports. ARGV: campaign. Counts a failure of a first import that is still to be done. */
const recordFailureScript = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], 1) end`;

/** How long found cards are stored, for the import of their campaign. */
const foundSeconds = 30 * 86_400;

const listKey = (ref: AccountRef) => accountKey(ref, 'campaigns');
const pollRecordKey = (ref: AccountRef) => accountKey(ref, 'looks');

/** Returns the ids of all campaigns as of the last poll. */
export async function campaignIds(redis: Redis, ref: AccountRef): Promise<CampaignId[]> {
  return z.array(CampaignId).parse(await redis.hkeys(listKey(ref)));
}

/** Deletes the record of polls, so that the next one searches the channels for cards of unknown tasks. */
export async function requestReconcile(redis: Redis, ref: AccountRef): Promise<void> {
  await redis.del(pollRecordKey(ref));
}

/** Creates the store of campaigns: as of the last poll, and their imports. */
export function createCampaigns(redis: Redis, logger?: ErrorLogger, now: () => number = Date.now) {
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
    /** Returns every campaign as of the last poll. */
    async all(ref: AccountRef): Promise<Campaign[]> {
      return [...(await stored.all(listKey(ref))).values()];
    },

    async get(ref: AccountRef, id: CampaignId): Promise<Campaign | undefined> {
      return stored.get(listKey(ref), id);
    },

    /** Stores the marketplace's list; writes only what differs. */
    async store(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
      const had = await redis.hgetall(listKey(ref));
      const changed = listed.flatMap((campaign) => {
        const text = campaignCodec.encode(campaign);
        return had[campaign.id] === text ? [] : [campaign.id, text];
      });
      if (changed.length > 0) await redis.hset(listKey(ref), ...changed);
      await redis.set(storedAtKey(ref), now());
    },

    /** Returns when the list was last stored (ms), or undefined when it never was. */
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

    /** Records a complete poll. Returns how many there were. */
    async recordPoll(ref: AccountRef, at: number): Promise<number> {
      return Number(await redis.eval(recordPollScript, 1, pollRecordKey(ref), at));
    },

    /** Returns the record of polls, undefined when there is none, and the run of the Redis server that answers. */
    async polls(ref: AccountRef): Promise<{ recorded: PollRecord | undefined; server: string }> {
      const answer = (await redis.eval(readPollsScript, 1, pollRecordKey(ref))) as (string | null)[];
      const [at, polls, recordedBy, server] = answer;
      if (polls == null) return { recorded: undefined, server: server ?? '' };
      const about = at == null ? {} : { at: Number(at) };
      const text = JSON.stringify({ ...about, polls: Number(polls), server: recordedBy ?? '' });
      const decoded = pollRecordCodec.decode(text);
      if (decoded.ok) return { recorded: decoded.value, server: server ?? '' };
      const { reason } = decoded;
      await setAside(redis, logger, {
        kind: pollRecordCodec.name,
        key: pollRecordKey(ref),
        reason,
        text: String(answer),
      });
      await redis.del(pollRecordKey(ref));
      return { recorded: undefined, server: server ?? '' };
    },

    /** Records that the channels were searched for cards which this server may not know. */
    async recordReconciled(ref: AccountRef): Promise<void> {
      await redis.eval(recordReconciledScript, 1, pollRecordKey(ref));
    },

    /** Stores cards that were found, until their tasks are imported. */
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

    /** Marks campaigns whose next import is a first one: the tasks it finds go to the backlog. */
    async requestFirstImport(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      for (const id of ids) await redis.hsetnx(firstImportsKey(ref), id, 0);
    },

    /** Returns the campaigns whose first import is still to be done, and how often it has failed. */
    async firstImports(ref: AccountRef): Promise<Map<CampaignId, number>> {
      return firstImports.all(firstImportsKey(ref));
    },

    async recordFirstImportFailure(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.eval(recordFailureScript, 1, firstImportsKey(ref), id);
    },

    /** Records that a first import is done, or that its campaign no longer exists. */
    async finishFirstImport(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.hdel(firstImportsKey(ref), id);
    },

    /** Records that the bot has rated in a campaign: its counts alone may not show what else has changed. */
    async recordRated(ref: AccountRef, id: CampaignId, at: number): Promise<void> {
      await times.set(ratedAtKey(ref), id, at);
    },

    /** Returns when the bot last rated in each campaign (ms). */
    async ratedAt(ref: AccountRef): Promise<Map<CampaignId, number>> {
      return times.all(ratedAtKey(ref));
    },
  };
}
