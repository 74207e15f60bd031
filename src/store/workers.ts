import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import type { Op } from '../domain/op.ts';
import { type AccountRef, CampaignId, type Rating, ratings, WorkerId } from '../domain/terms.ts';
import {
  type ListedWorker,
  Listing,
  recordOf,
  type WorkerInCampaign,
  type WorkerRecord,
  type WorkersInCampaign,
} from '../domain/worker.ts';
import type { AuditStep } from './audit/writer.ts';
import { storeInBuckets } from './bucket-digests.ts';
import { change } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';
import { readWorkerRatings } from './worker-ratings.ts';

/** How many names are removed at a time. */
const namesAtOnce = 1_000;

export const listingCodec = createCodec('listing', Listing);

/** Counts in the order of `ratings`, and the name. Kept short, since there is one per worker and campaign. */
const StoredWorker = z.tuple([z.array(z.number()), z.string()]);
export const workerCodec = createCodec('worker', StoredWorker);

/** The mirrored lists of workers: the marketplace has no endpoint to read them back. */
type List = 'excluded' | 'favorites';

export type Workers = ReturnType<typeof createWorkers>;

/** Creates the store of an account's workers: their tasks by rating, and the mirror of the exclude list and favorites. */
export function createWorkers(redis: Redis, logger?: ErrorLogger) {
  const listings = createStoredHash(redis, { codec: listingCodec, field: WorkerId }, logger);
  const storedWorkers = createStoredHash(redis, { codec: workerCodec, field: WorkerId }, logger);
  const campaignsKey = (ref: AccountRef) => accountKey(ref, 'workers', 'campaigns');
  const countsKey = (ref: AccountRef, campaign: CampaignId) => accountKey(ref, 'workers', 'in', campaign);
  const digestsKey = (ref: AccountRef, campaign: CampaignId) =>
    accountKey(ref, 'workers', 'digests', campaign);
  const namelessKey = (ref: AccountRef, campaign: CampaignId) =>
    accountKey(ref, 'workers', 'nameless', campaign);
  const listKey = (ref: AccountRef, list: List) => accountKey(ref, 'workers', list);

  async function listed(ref: AccountRef, list: List): Promise<ListedWorker[]> {
    const found = [...(await listings.all(listKey(ref, list)))];
    return found
      .map(([worker, listing]) => ({ worker, ...listing }))
      .sort((a, b) => b.at - a.at || a.worker.localeCompare(b.worker));
  }

  async function listing(ref: AccountRef, list: List, worker: WorkerId): Promise<Listing | undefined> {
    return listings.get(listKey(ref, list), worker);
  }

  /** Returns the stored data of several workers in each campaign, in the order asked for. */
  async function knownMany(
    ref: AccountRef,
    ids: readonly WorkerId[],
  ): Promise<Map<CampaignId, WorkerInCampaign>[]> {
    if (ids.length === 0) return [];
    const campaigns = z.array(CampaignId).parse(await redis.smembers(campaignsKey(ref)));
    const pipeline = redis.pipeline();
    for (const campaign of campaigns) pipeline.hmget(countsKey(ref, campaign), ...ids);
    const known = ids.map(() => new Map<CampaignId, WorkerInCampaign>());
    const answers = (await pipeline.exec()) ?? [];
    for (const [index, campaign] of campaigns.entries()) {
      const [error, texts] = answers[index] ?? [];
      if (error) throw error;
      for (const [position, id] of ids.entries()) {
        const text = (texts as (string | null)[])[position] ?? null;
        const stored = await storedWorkers.valueOf(countsKey(ref, campaign), id, text);
        if (stored) known[position]?.set(campaign, workerOf(stored));
      }
    }
    return known;
  }

  async function recordMany(ref: AccountRef, ids: readonly WorkerId[]): Promise<WorkerRecord[]> {
    const known = await knownMany(ref, ids);
    return ids.map((id, position) => recordOf(id, known[position] ?? new Map()));
  }

  return {
    /**
     * Replaces the workers of a campaign by those of its latest import. Reads and writes only those whose digests differ,
     * since each import contains all of them. Removed names come back only for workers with tasks to be rated.
     */
    async storeCampaign(ref: AccountRef, campaign: CampaignId, listed: WorkersInCampaign): Promise<void> {
      const nameless = new Set(await redis.smembers(namelessKey(ref, campaign)));
      const workers = nameless.size === 0 ? listed : withoutNames(listed, nameless);
      await Promise.all([
        workers.size > 0 && redis.sadd(campaignsKey(ref), campaign),
        storeInBuckets(redis, {
          key: countsKey(ref, campaign),
          digestsKey: digestsKey(ref, campaign),
          size: workers.size,
          texts: () => textsOf(workers),
        }),
      ]);
    },

    /**
     * Removes the names of some of a campaign's workers, or of all, but keeps their counts. Workers with tasks to be rated
     * keep their names.
     */
    async removeNames(ref: AccountRef, campaign: CampaignId, ids?: readonly WorkerId[]): Promise<void> {
      const key = countsKey(ref, campaign);
      const found = await (ids === undefined ? storedWorkers.all(key) : storedWorkers.getMany(key, ids));
      const named = [...found].filter(([, worker]) => worker[1] !== '' && !isAwaited(workerOf(worker)));
      for (const some of chunksOf(named, namesAtOnce)) {
        await redis.sadd(namelessKey(ref, campaign), ...some.map(([id]) => id));
        await redis.del(digestsKey(ref, campaign));
        for (const [id, worker] of some) await storedWorkers.replace(key, id, worker, [worker[0], '']);
      }
    },

    /** Returns a worker's record over all imported campaigns. @param here the campaign it is shown in */
    async record(ref: AccountRef, id: WorkerId, here?: CampaignId): Promise<WorkerRecord> {
      const [known] = await knownMany(ref, [id]);
      return recordOf(id, known ?? new Map(), here);
    },

    /** Returns a worker's tasks in each imported campaign. */
    async byCampaign(ref: AccountRef, id: WorkerId): Promise<ReadonlyMap<CampaignId, WorkerInCampaign>> {
      const [known] = await knownMany(ref, [id]);
      return known ?? new Map();
    },

    /** Returns the latest ratings of a worker's tasks, oldest first. */
    ratings: (ref: AccountRef, id: WorkerId) => readWorkerRatings(redis, ref, id),

    /** Returns the records of several workers, in the order asked for. */
    recordMany,

    /** Each of these takes the audit entry that is added in the same step. */
    async addExcluded(ref: AccountRef, worker: WorkerId, by: Listing, step?: AuditStep): Promise<void> {
      await change(redis, step, ['HSET', listKey(ref, 'excluded'), worker, listingCodec.encode(by)]);
    },

    async removeExcluded(ref: AccountRef, worker: WorkerId, step?: AuditStep): Promise<void> {
      await change(redis, step, ['HDEL', listKey(ref, 'excluded'), worker]);
    },

    async clearExcluded(ref: AccountRef, step?: AuditStep): Promise<void> {
      await change(redis, step, ['DEL', listKey(ref, 'excluded')]);
    },

    /** Returns the excluded workers known here, latest first. */
    excluded: (ref: AccountRef) => listed(ref, 'excluded'),

    /** Returns who excluded a worker; undefined when they are not known to be excluded. */
    exclusion: (ref: AccountRef, worker: WorkerId) => listing(ref, 'excluded', worker),

    /**
     * Returns the change of the mirror when a rating made in Slack adds a worker to the favorites, or removes them: stored
     * in the same step as the rating's record and entry.
     */
    favoriteChange: (worker: WorkerId, change: 'add' | 'remove', by: Listing): Op =>
      change === 'add'
        ? { run: 'HSET', key: 'workers:favorites', args: [worker, listingCodec.encode(by)] }
        : { run: 'HDEL', key: 'workers:favorites', args: [worker] },

    /** Records a favorite whose rating was recorded before. */
    async recordFavorite(
      ref: AccountRef,
      worker: WorkerId,
      change: 'add' | 'remove',
      by: Listing,
    ): Promise<void> {
      if (change === 'add') await listings.set(listKey(ref, 'favorites'), worker, by);
      else await redis.hdel(listKey(ref, 'favorites'), worker);
    },

    /** Returns the favorites known here, latest first. */
    favorites: (ref: AccountRef) => listed(ref, 'favorites'),

    /** Returns who made a worker a favorite; undefined when they are not known to be one. */
    favorite: (ref: AccountRef, worker: WorkerId) => listing(ref, 'favorites', worker),
  };
}

/** Returns whether a worker has tasks that are still to be rated. */
function isAwaited({ counts }: WorkerInCampaign): boolean {
  return counts.NOTREVIEWED + counts.NOTRATED + counts.REVISE > 0;
}

function withoutNames(workers: WorkersInCampaign, nameless: ReadonlySet<string>): WorkersInCampaign {
  return new Map(
    [...workers].map(([id, worker]) => [
      id,
      nameless.has(id) && !isAwaited(worker) ? { ...worker, name: '' } : worker,
    ]),
  );
}

function* textsOf(workers: WorkersInCampaign): Generator<readonly [id: string, text: string]> {
  for (const [id, worker] of workers) yield [id, encoded(worker)];
}

function encoded({ name, counts }: WorkerInCampaign): string {
  return workerCodec.encode([ratings.map((rating) => counts[rating]), name]);
}

function workerOf([values, name]: z.infer<typeof StoredWorker>): WorkerInCampaign {
  const counts = Object.fromEntries(ratings.map((rating, index) => [rating, values[index] ?? 0]));
  return { name, counts: counts as Record<Rating, number> };
}
