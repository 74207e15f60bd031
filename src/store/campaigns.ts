import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Campaign } from '../domain/campaign.ts';
import { chunksOf } from '../domain/group.ts';
import { type AccountRef, CampaignId } from '../domain/terms.ts';
import { change, changeIf } from './change.ts';
import { createCodec, numberCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A campaign's last import: its counts in the list at that time, when it was (ms), and the CSV's size in bytes. */
const LastImport = z.object({ counts: z.string(), at: z.number(), bytes: z.number() }).readonly();
export type LastImport = z.infer<typeof LastImport>;

export const campaignCodec = createCodec('campaign', Campaign);
export const lastImportCodec = createCodec('last-import', LastImport);
/** How often a first import has failed, and when the bot last rated in a campaign or stored the list (ms). */
const firstImportCodec = numberCodec('first-import');
const timeCodec = numberCodec('time');

export type Campaigns = ReturnType<typeof createCampaigns>;

/** State of the list that was read last: its digest, if it requires no action as long as it stays the same. */
export interface SettledList {
  readonly digest: string | undefined;
  /** Number of changes to the inputs that decide about imports, '' for none. */
  readonly changes: string;
}

const listKey = (ref: AccountRef) => accountKey(ref, 'campaigns');

/** Returns the ids of all campaigns as of the last poll. */
export async function campaignIds(redis: Redis, ref: AccountRef): Promise<CampaignId[]> {
  return z.array(CampaignId).parse(await redis.hkeys(listKey(ref)));
}

/** Creates the store of campaigns: as of the last poll, and their imports. */
export function createCampaigns(redis: Redis, logger?: ErrorLogger, now: () => number = Date.now) {
  const stored = createStoredHash(redis, { codec: campaignCodec, field: CampaignId }, logger);
  const imports = createStoredHash(redis, { codec: lastImportCodec, field: CampaignId }, logger);
  const firstImports = createStoredHash(redis, { codec: firstImportCodec, field: CampaignId }, logger);
  const times = createStoredHash(redis, { codec: timeCodec, field: CampaignId }, logger);
  const firstImportsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'first-reads');
  const ratedAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'touched');
  const storedAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'stored-at');
  const paymentsKey = (ref: AccountRef) => accountKey(ref, 'payments');
  const settledKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'settled');
  const readingKey = (ref: AccountRef, id: CampaignId) => accountKey(ref, 'campaigns', 'reading', id);
  const importsKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'reads');
  const polledAtKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'polled-at');

  async function timeAt(key: string): Promise<number | undefined> {
    const at = timeCodec.decode((await redis.get(key)) ?? '');
    return at.ok ? at.value : undefined;
  }

  return {
    /** Returns every campaign as of the last poll. */
    async all(ref: AccountRef): Promise<Campaign[]> {
      return [...(await stored.all(listKey(ref))).values()];
    },

    /** Returns the ids of all campaigns as of the last poll. */
    ids: (ref: AccountRef): Promise<CampaignId[]> => campaignIds(redis, ref),

    async get(ref: AccountRef, id: CampaignId): Promise<Campaign | undefined> {
      return stored.get(listKey(ref), id);
    },

    /** Returns the campaigns with these ids that were listed. */
    async getMany(ref: AccountRef, ids: readonly CampaignId[]): Promise<Map<CampaignId, Campaign>> {
      return stored.getMany(listKey(ref), ids);
    },

    /**
     * Stores the marketplace's list; writes only what differs. Payments are stored separately as well, so that waiting tasks
     * are counted by payment without reading all campaigns. Without an index of idle campaigns, all are
     * indexed.
     */
    async store(ref: AccountRef, listed: readonly Campaign[]): Promise<void> {
      const [had, paymentsBefore, isIndexed] = await Promise.all([
        redis.hgetall(listKey(ref)),
        redis.hgetall(paymentsKey(ref)),
        redis.exists(idleKey(ref)),
      ]);
      const changed = listed.flatMap((campaign) => {
        const text = campaignCodec.encode(campaign);
        return had[campaign.id] === text ? [] : [{ campaign, text }];
      });
      const payments = listed.filter(({ id, paymentPerTask }) => paymentsBefore[id] !== paymentPerTask);
      const indexed = isIndexed ? changed.map(({ campaign }) => campaign) : listed;
      await change(
        redis,
        undefined,
        ...changed.map(({ campaign, text }) => ['HSET', listKey(ref), campaign.id, text] as const),
        ...(changed.length === 0 ? [] : [['HINCRBY', settledKey(ref), 'changes', 1] as const]),
        ...payments.map(({ id, paymentPerTask }) => ['HSET', paymentsKey(ref), id, paymentPerTask] as const),
        ...indexed.map((campaign) =>
          isIdle(campaign)
            ? (['ZADD', idleKey(ref), campaign.createdAt ?? 0, campaign.id] as const)
            : (['ZREM', idleKey(ref), campaign.id] as const),
        ),
        ['SET', storedAtKey(ref), now()],
      );
    },

    /** Returns the list that requires no action in a state, which covers everything else that decides about imports. */
    async settled(ref: AccountRef, state: string): Promise<SettledList> {
      const fields = ['digest', 'state', 'settled', 'changes'] as const;
      const [[digest, ofState, at, changes], firstImportCount] = await Promise.all([
        redis.hmget(settledKey(ref), ...fields),
        redis.hlen(firstImportsKey(ref)),
      ]);
      const isSettled = ofState === state && at === (changes ?? '') && firstImportCount === 0;
      return { digest: isSettled ? (digest ?? undefined) : undefined, changes: changes ?? '' };
    },

    /** Records that nothing needs doing while the list has this digest and nothing else changes. */
    async settle(ref: AccountRef, digest: string, state: string, changes: string): Promise<void> {
      const key = settledKey(ref);
      const settled = ['HSET', key, 'digest', digest, 'state', state, 'settled', changes] as const;
      await changeIf(redis, [[changes, 'HGET', key, 'changes']], [settled]);
    },

    /** Makes the next poll look at all campaigns, even when their list is unchanged. */
    async unsettle(ref: AccountRef): Promise<void> {
      await redis.hincrby(settledKey(ref), 'changes', 1);
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
    /** Returns a range of the running campaigns that have nothing waiting, newest first, and their total number. */
    idle: (ref: AccountRef, range?: { readonly from?: number; readonly limit?: number }) =>
      idleCampaigns(redis, ref, range),

    /** Returns when the list was last stored, or read and found unchanged (ms); undefined when it never was. */
    async storedAt(ref: AccountRef): Promise<number | undefined> {
      const times = await Promise.all([timeAt(storedAtKey(ref)), timeAt(polledAtKey(ref))]);
      const known = times.filter((at) => at !== undefined);
      return known.length === 0 ? undefined : Math.max(...known);
    },

    /** Records a complete poll. @param at the time of its list (ms) */
    async recordPoll(ref: AccountRef, at: number): Promise<void> {
      await redis.set(polledAtKey(ref), at);
    },

    /** Returns when the list of the last complete poll was read (ms); undefined when there was none. */
    lastPollAt: (ref: AccountRef): Promise<number | undefined> => timeAt(polledAtKey(ref)),

    async lastImport(ref: AccountRef, id: CampaignId): Promise<LastImport | undefined> {
      return imports.get(importsKey(ref), id);
    },

    async lastImports(ref: AccountRef): Promise<Map<CampaignId, LastImport>> {
      return imports.all(importsKey(ref));
    },

    async recordImport(ref: AccountRef, id: CampaignId, read: LastImport): Promise<void> {
      await imports.set(importsKey(ref), id, read);
      await this.unsettle(ref);
    },

    /** Requests another import of campaigns at the next poll, whatever is recorded for them. */
    async requestImports(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      const recorded = await imports.getMany(importsKey(ref), ids);
      for (const id of ids) {
        const { at, bytes } = recorded.get(id) ?? { at: 0, bytes: 0 };
        await imports.set(importsKey(ref), id, { counts: '', at, bytes });
      }
      await this.unsettle(ref);
    },

    /** Marks campaigns whose next import is a first one: tasks it finds go to the backlog. */
    async requestFirstImport(ref: AccountRef, ids: readonly CampaignId[]): Promise<void> {
      for (const id of ids) await redis.hsetnx(firstImportsKey(ref), id, 0);
    },

    /** Returns the campaigns whose first import is still to be done, and how often it has failed. */
    async firstImports(ref: AccountRef): Promise<Map<CampaignId, number>> {
      return firstImports.all(firstImportsKey(ref));
    },

    /** Counts a failed first import, if it is still to be done. */
    async recordFirstImportFailure(ref: AccountRef, id: CampaignId): Promise<void> {
      const key = firstImportsKey(ref);
      await changeIf(redis, [['1', 'HEXISTS', key, id]], [['HINCRBY', key, id, 1]]);
    },

    /** Records that a first import is done, or that its campaign no longer exists. */
    async finishFirstImport(ref: AccountRef, id: CampaignId): Promise<void> {
      await redis.hdel(firstImportsKey(ref), id);
    },

    /** Records that the bot has rated in a campaign: the counts alone may not show what else has changed. */
    async recordRated(ref: AccountRef, id: CampaignId, at: number): Promise<void> {
      await times.set(ratedAtKey(ref), id, at);
      await this.unsettle(ref);
    },

    /** Returns when the bot last rated in each campaign (ms). */
    async ratedAt(ref: AccountRef): Promise<Map<CampaignId, number>> {
      return times.all(ratedAtKey(ref));
    },
  };
}

/** Running campaigns none of whose tasks waits for a rating, the newest with the highest score. */
const idleKey = (ref: AccountRef) => accountKey(ref, 'campaigns', 'idle');

const isIdle = ({ status, tasksNotRated }: Campaign) => status === 'RUNNING' && tasksNotRated === 0;

/** Returns a range of the running campaigns that have nothing waiting, newest first, and their total number. */
async function idleCampaigns(
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
