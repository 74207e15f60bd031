import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import { keyOf, ratingLetters } from '../domain/index-changes.ts';
import type { Op } from '../domain/op.ts';
import { type AccountRef, CampaignId, type Rating, ratings, verdicts, WorkerId } from '../domain/terms.ts';
import {
  type ListedWorker,
  Listing,
  recordOf,
  type WorkerInCampaign,
  type WorkerRecord,
  type WorkersInCampaign,
} from '../domain/worker.ts';
import type { GivenRating } from '../domain/worker-history.ts';
import type { AuditStep } from './audit-entries.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { change } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

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

/** Returns the latest ratings of a worker's tasks, oldest first. */
export async function readWorkerRatings(
  redis: Redis,
  ref: AccountRef,
  worker: WorkerId,
): Promise<GivenRating[]> {
  const texts = await redis.lrange(accountKey(ref, keyOf.workerRatings(worker)), 0, -1);
  return texts.reverse().flatMap((text) => {
    const verdict = verdicts.find((one) => ratingLetters[one] === text.charAt(0));
    if (verdict === undefined) return [];
    return [{ verdict, ...(text.charAt(1) === ':' ? { reason: text.slice(2) } : {}) }];
  });
}

/** Approximate number of fields per digest. */
const fieldsPerBucket = 64;
const maxBuckets = 4_096;
/** How many fields are read or written at once. */
const fieldsAtOnce = 2_000;
/** The field with the number of fields and buckets that the digests cover. */
const layoutField = 'layout';

/** A hash that must have certain fields and no others. */
interface Wanted {
  readonly key: string;
  /** The key of its digests. Any other code that writes the hash removes them. */
  readonly digestsKey: string;
  readonly size: number;
  /** Returns all fields with their texts, starting over at each call. */
  readonly texts: () => Iterable<readonly [field: string, text: string]>;
}

/**
 * Makes a large hash have exactly certain fields. A digest of every few dozen fields tells which of them must be read, so
 * that unchanged ones cost only its computation. Each bucket and its digest are written in one step.
 */
export async function storeInBuckets(redis: Redis, wanted: Wanted): Promise<void> {
  const { key, digestsKey, size } = wanted;
  const buckets = bucketsFor(size);
  const digests = digestsOf(wanted, buckets);
  const [stored, fields] = await Promise.all([redis.hgetall(digestsKey), redis.hlen(key)]);
  const layout = `${size}/${buckets}`;
  const [storedSize = '', storedBuckets = ''] = (stored[layoutField] ?? '').split('/');
  const isSameLayout = Number(storedBuckets) === buckets && Number(storedSize) === fields;
  const outdated = new Set<number>();
  if (isSameLayout)
    for (const [bucket, digest] of digests.entries()) if (stored[bucket] !== digest) outdated.add(bucket);
  if (isSameLayout && outdated.size === 0 && stored[layoutField] === layout) return;

  const texts = new Map<number, [string, string][]>();
  if (isSameLayout)
    for (const [field, text] of wanted.texts()) {
      const bucket = hashOf(field, bucketSeed) % buckets;
      if (!outdated.has(bucket)) continue;
      const some = texts.get(bucket);
      if (some === undefined) texts.set(bucket, [[field, text]]);
      else some.push([field, text]);
    }
  let added = 0;
  for (const [bucket, some] of texts) {
    const had = await redis.hmget(key, ...some.map(([field]) => field));
    const changed = some.filter(([, text], index) => had[index] !== text);
    added += had.filter((text) => text === null).length;
    const step = redis.multi();
    if (changed.length > 0) step.hset(key, ...changed.flat());
    await step
      .hset(
        digestsKey,
        bucket,
        digests[bucket] ?? '',
        layoutField,
        `${Number(storedSize) + added}/${buckets}`,
      )
      .exec();
  }
  // Unwanted fields are in no bucket's texts, so they show only in the number of fields.
  if (isSameLayout && Number(storedSize) + added === size) return;
  await redis.del(digestsKey);
  await storeAll(redis, wanted);
  await redis.hset(digestsKey, layoutField, layout, ...digests.flatMap((digest, bucket) => [bucket, digest]));
}

async function storeAll(redis: Redis, { key, texts }: Wanted): Promise<void> {
  const gone = new Map(Object.entries(await redis.hgetall(key)));
  const changed: [string, string][] = [];
  for (const [field, text] of texts()) {
    if (gone.get(field) !== text) changed.push([field, text]);
    gone.delete(field);
  }
  for (const some of chunksOf(changed, fieldsAtOnce)) await redis.hset(key, ...some.flat());
  for (const some of chunksOf([...gone.keys()], fieldsAtOnce)) await redis.hdel(key, ...some);
}

/** Returns a power of two, so that it rarely changes. */
function bucketsFor(size: number): number {
  const wanted = size / fieldsPerBucket;
  return wanted <= 1 ? 1 : Math.min(maxBuckets, 2 ** Math.round(Math.log2(wanted)));
}

const bucketSeed = 0x811c9dc5;
const seeds = [0x9e3779b9, 0x85ebca6b] as const;

/** Returns the digest of each bucket: sums, so that the order of the fields does not matter. */
function digestsOf({ texts }: Wanted, buckets: number): string[] {
  const sums = seeds.map(() => new Uint32Array(buckets));
  for (const [field, text] of texts()) {
    const bucket = hashOf(field, bucketSeed) % buckets;
    for (const [index, seed] of seeds.entries()) {
      const hash = hashOf(text, hashOf(field, seed));
      const sum = sums[index];
      if (sum !== undefined) sum[bucket] = ((sum[bucket] ?? 0) + hash) >>> 0;
    }
  }
  return Array.from({ length: buckets }, (_, bucket) =>
    sums.map((sum) => (sum[bucket] ?? 0).toString(36)).join(' '),
  );
}

function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) >>> 0;
}
