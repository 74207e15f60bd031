import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  type Brief,
  Campaign,
  CampaignState,
  CreatedBrief,
  campaignTitleOf,
  ListedBrief,
} from '../domain/campaign.ts';
import { chunksOf } from '../domain/collections.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { accountKey, type Codec, createCodec, numberCodec } from './format.ts';
import { change, changeIf } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

/** A campaign's last import: its counts in the list at that time, when it was (ms), and the CSV's size in bytes. */
const LastImport = z.object({ counts: z.string(), at: z.number(), bytes: z.number() }).readonly();
export type LastImport = z.infer<typeof LastImport>;

export const campaignCodec = createCodec('campaign', Campaign);
export const lastImportCodec = createCodec('last-import', LastImport);
/** How often a first import has failed, and when the bot last rated in a campaign or stored the list (ms). */
const firstImportCodec = numberCodec('first-import');
const timeCodec = numberCodec('time');

const listKey = (ref: AccountRef) => accountKey(ref, 'campaigns');

/** Returns the ids of all campaigns as of the last poll. */
export async function campaignIds(redis: Redis, ref: AccountRef): Promise<CampaignId[]> {
  return z.array(CampaignId).parse(await redis.hkeys(listKey(ref)));
}

/** Creates the store of campaigns: as of the last poll, and their imports. */
export function createCampaigns(redis: Redis, logger?: ErrorLogger, now: () => number = Date.now) {
  const hashOf = <T>(codec: Codec<T>, key: (ref: AccountRef) => string) =>
    createStoredHash(redis, { codec, field: CampaignId, key }, logger);
  const firstImportsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'first-imports');
  const stored = hashOf(campaignCodec, listKey);
  const imports = hashOf(lastImportCodec, (ref) => accountKey(ref, 'campaigns', 'imports'));
  const firstImports = hashOf(firstImportCodec, firstImportsKey);
  const ratedAt = hashOf(timeCodec, (ref) => accountKey(ref, 'campaigns', 'rated-at'));
  const storedAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'stored-at');
  const readingKey = (ref: AccountRef, id: CampaignId) => accountKey(ref, 'campaigns', 'reading', id);
  const polledAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'polled-at');

  async function timeAt(key: string): Promise<number | undefined> {
    const at = timeCodec.decode((await redis.get(key)) ?? '');
    return at.ok ? at.value : undefined;
  }

  return {
    /** Returns every campaign as of the last poll. */
    all: async (ref: AccountRef): Promise<Campaign[]> => [...(await stored.all(ref)).values()],

    /** Returns the ids of all campaigns as of the last poll. */
    ids: (ref: AccountRef): Promise<CampaignId[]> => campaignIds(redis, ref),

    get: stored.get,

    /** Returns a campaign's title, or what names it without one. */
    async titleOf(ref: AccountRef, id: CampaignId): Promise<string> {
      return campaignTitleOf(id, (await stored.get(ref, id))?.title);
    },

    /** Returns what names each of these campaigns. */
    async titlesOf(ref: AccountRef, ids: readonly CampaignId[]): Promise<(id: CampaignId) => string> {
      const found = await stored.getMany(ref, [...new Set(ids)]);
      return (id) => campaignTitleOf(id, found.get(id)?.title);
    },

    /** Returns the campaigns with these ids that were listed. */
    getMany: stored.getMany,

    /** Stores the marketplace's list; writes only what differs. */
    async store(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
      const had = await redis.hgetall(listKey(ref));
      const changed = listed.flatMap((campaign) => {
        const text = campaignCodec.encode(campaign);
        return had[campaign.id] === text ? [] : [{ campaign, text }];
      });
      await change(
        redis,
        undefined,
        ...changed.map(({ campaign, text }) => ['HSET', listKey(ref), campaign.id, text] as const),
        ['SET', storedAtKey(ref), now()],
      );
    },

    /**
     * Records that the results of a campaign listed with these counts are being read. The record lasts until it is removed,
     * or for `ttlMs` without being renewed.
     */
    async recordReading(ref: AccountRef, id: CampaignId, counts: string, ttlMs: number): Promise<void> {
      await redis.set(readingKey(ref, id), counts, 'PX', ttlMs);
    },

    async forgetReading(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.del(readingKey(ref, id));
    },

    /** Returns which of these campaigns are being read, and with which counts. */
    async reading(ref: AccountRef, ids: readonly CampaignId[]): Promise<Map<CampaignId, string>> {
      const found = new Map<CampaignId, string>();
      for (const some of chunksOf(ids, 1_000)) {
        const counts = await redis.mget(...some.map((id) => readingKey(ref, id)));
        for (const [index, id] of some.entries()) {
          const text = counts[index];
          if (text != null) found.set(id, text);
        }
      }
      return found;
    },

    /** Returns when the list was last stored (ms); undefined when it never was. */
    storedAt: (ref: AccountRef): Promise<number | undefined> => timeAt(storedAtKey(ref)),

    /** Records a complete poll. @param at the time of its list (ms) */
    async recordPoll(ref: AccountRef, at: number): Promise<void> {
      await redis.set(polledAtKey(ref), at);
    },

    /** Returns when the list of the last complete poll was read (ms); undefined when there was none. */
    lastPollAt: (ref: AccountRef): Promise<number | undefined> => timeAt(polledAtKey(ref)),

    lastImport: imports.get,
    lastImports: imports.all,

    recordImport: imports.set,

    /** Requests another import of campaigns at the next poll, whatever is recorded for them. */
    async requestImports(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      const recorded = await imports.getMany(ref, ids);
      for (const id of ids) {
        const { at, bytes } = recorded.get(id) ?? { at: 0, bytes: 0 };
        await imports.set(ref, id, { counts: '', at, bytes });
      }
    },

    /** Marks campaigns whose next import is a first one: tasks it finds go to the backlog. */
    async requestFirstImport(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      for (const id of ids) await redis.hsetnx(firstImportsKey(ref), id, 0);
    },

    /** Returns the campaigns whose first import is still to be done, and how often it has failed. */
    firstImports: firstImports.all,

    /** Counts a failed first import, if it is still to be done. */
    async recordFirstImportFailure(ref: AccountRef, id: CampaignId): Promise<void> {
      const key = firstImportsKey(ref);
      await changeIf(redis, [['1', 'HEXISTS', key, id]], [['HINCRBY', key, id, 1]]);
    },

    /** Records that a first import is done, or that its campaign no longer exists. */
    finishFirstImport: firstImports.remove,

    /** Records that the bot has rated in a campaign: the counts alone may not show what else has changed. */
    recordRated: ratedAt.set,

    /** Returns when the bot last rated in each campaign (ms). */
    ratedAt: ratedAt.all,
  };
}

export const campaignStateCodec = createCodec('campaign-state', CampaignState);

/** Creates the store of confirmed campaign statuses, which people are told of. */
export function createCampaignStates(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'campaign-states');
  const stored = createStoredHash(redis, { codec: campaignStateCodec, field: CampaignId, key }, logger);

  return {
    all: stored.all,

    /** Returns the campaigns of whose status people have yet to be told. */
    async untold(ref: AccountRef): Promise<Map<CampaignId, CampaignState>> {
      return new Map([...(await stored.all(ref))].filter(([, { untold }]) => untold));
    },

    /** Replaces a state as it was read. Resolves to false when it has changed since. */
    replace: stored.replace,
  };
}

/** A campaign's brief as listed. */
export interface BriefOfCampaign extends ListedBrief {
  readonly id: CampaignId;
}

/** The values of one row of a template, in the order of the brief's columns. */
const TemplateRow = z.array(z.string()).readonly();

export const briefCodec = createCodec('brief', ListedBrief);
export const createdBriefCodec = createCodec('created-brief', CreatedBrief);
export const templateRowCodec = createCodec('template-row', TemplateRow);

/** How long rows wait for their campaign to be created (s). */
const waitingRowsSeconds = 2 * 86_400;

/** How many fields are written at once. */
const fieldsAtOnce = 2_000;

type OfCampaign = readonly [AccountRef, CampaignId];

export type Briefs = ReturnType<typeof createBriefs>;

/**
 * Creates the store of briefs, the instructions of campaigns: as the marketplace lists them, and as sent for campaigns
 * created here, with the rows of their templates.
 */
export function createBriefs(redis: Redis, logger?: ErrorLogger) {
  const listedKey = (ref: AccountRef) => accountKey(ref, 'briefs');
  const hashesKey = (ref: AccountRef) => accountKey(ref, 'briefs', 'hashes');
  const createdKey = (ref: AccountRef) => accountKey(ref, 'briefs', 'created');
  const rowsKey = ([ref, campaign]: OfCampaign) => accountKey(ref, 'briefs', 'rows', campaign);
  const listed = createStoredHash(redis, { codec: briefCodec, field: CampaignId, key: listedKey }, logger);
  const created = createStoredHash(
    redis,
    { codec: createdBriefCodec, field: CampaignId, key: createdKey },
    logger,
  );
  const rows = createStoredHash(redis, { codec: templateRowCodec, field: z.string(), key: rowsKey }, logger);
  const waitingRowsKey = (ref: AccountRef, draft: string) =>
    accountKey(ref, 'briefs', 'rows-of-draft', draft);

  return {
    /**
     * Stores the listed briefs. Writes only those that differ, and reads only hashes: the texts may be long, and every poll
     * has all of them. The brief sent at the creation of a campaign no longer counts once its texts change.
     */
    async store(ref: AccountRef, campaigns: readonly BriefOfCampaign[]): Promise<void> {
      const had = await redis.hgetall(hashesKey(ref));
      const changed = campaigns.flatMap(({ id, work, proof }) => {
        const text = briefCodec.encode({ work, proof });
        const hash = hashOf(text);
        return had[id] === hash ? [] : [{ id, text, hash }];
      });
      if (changed.length === 0) return;
      const edited = changed.flatMap(({ id }) => (had[id] === undefined ? [] : [id]));
      const step = redis
        .multi()
        .hset(listedKey(ref), ...changed.flatMap(({ id, text }) => [id, text]))
        .hset(hashesKey(ref), ...changed.flatMap(({ id, hash }) => [id, hash]));
      if (edited.length > 0)
        step.hdel(createdKey(ref), ...edited).unlink(...edited.map((id) => rowsKey([ref, id])));
      await step.exec();
    },

    /** Returns a campaign's brief as far as it is known. */
    async get(ref: AccountRef, campaign: CampaignId): Promise<Brief> {
      const [own, asListed] = await Promise.all([created.get(ref, campaign), listed.get(ref, campaign)]);
      return { ...(asListed ? { listed: asListed } : {}), ...(own ? { created: own } : {}) };
    },

    /** Stores the brief sent for a newly created campaign, with the rows that were stored for its draft. */
    async storeCreated(
      ref: AccountRef,
      campaign: CampaignId,
      brief: CreatedBrief,
      draft: string,
    ): Promise<void> {
      const waiting = waitingRowsKey(ref, draft);
      const step = redis.multi().hset(createdKey(ref), campaign, createdBriefCodec.encode(brief));
      if (brief.columns && (await redis.exists(waiting)))
        step.rename(waiting, rowsKey([ref, campaign])).persist(rowsKey([ref, campaign]));
      await step.exec();
    },

    /** Stores template rows of a campaign that may be created, by number, replacing earlier ones. */
    async storeDraftRows(
      ref: AccountRef,
      draft: string,
      values: ReadonlyMap<string, readonly string[]>,
    ): Promise<void> {
      const key = waitingRowsKey(ref, draft);
      const step = redis.multi().unlink(key);
      for (const some of chunksOf([...values], fieldsAtOnce))
        step.hset(key, ...some.flatMap(([row, texts]) => [row, templateRowCodec.encode(texts)]));
      await step.expire(key, waitingRowsSeconds).exec();
    },

    /** Returns the values of a row, in the order of the brief's columns; undefined when unknown. */
    async row(ref: AccountRef, campaign: CampaignId, row: string): Promise<readonly string[] | undefined> {
      return rows.get([ref, campaign], row);
    },

    /** Removes the rows of a campaign's template, all of whose tasks were decided long ago. */
    async removeRows(ref: AccountRef, campaign: CampaignId): Promise<void> {
      await redis.unlink(rowsKey([ref, campaign]));
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
