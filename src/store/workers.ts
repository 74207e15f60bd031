import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/collections.ts';
import { keyOf } from '../domain/index-changes.ts';
import {
  type AccountRef,
  CampaignId,
  type Rating,
  ratings,
  type Verdict,
  verdicts,
  WorkerId,
} from '../domain/terms.ts';
import {
  type ListedWorker,
  Listing,
  recordOf,
  type WorkerInCampaign,
  type WorkerRecord,
  type WorkersInCampaign,
} from '../domain/worker.ts';
import type { AuditStep } from './audit.ts';
import { accountKey, createCodec } from './format.ts';
import { change } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

/** How often a worker was given a saved reason. */
interface ReasonCount {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly count: number;
}

/** How many workers are read or written at a time. */
const workersAtOnce = 1_000;

export const listingCodec = createCodec('listing', Listing);

/** Counts in the order of `ratings`, and the name. Kept short, since there is one per worker and campaign. */
const StoredWorker = z.tuple([z.array(z.number()).length(ratings.length), z.string()]);
export const workerCodec = createCodec('worker', StoredWorker);

/**
 * Creates the store of an account's workers: their tasks by rating, and a mirror of the exclude list, which the marketplace
 * has no endpoint to read.
 */
export function createWorkers(redis: Redis, logger?: ErrorLogger) {
  const campaignsKey = (ref: AccountRef) => accountKey(ref, 'workers', 'campaigns');
  const countsKey = ([ref, campaign]: readonly [AccountRef, CampaignId]) =>
    accountKey(ref, 'workers', 'in', campaign);
  const namelessKey = (ref: AccountRef, campaign: CampaignId) =>
    accountKey(ref, 'workers', 'nameless', campaign);
  const excludedKey = (ref: AccountRef) => accountKey(ref, 'workers', 'excluded');
  const counts = createStoredHash(redis, { codec: workerCodec, field: WorkerId, key: countsKey }, logger);
  const exclusions = createStoredHash(
    redis,
    { codec: listingCodec, field: WorkerId, key: excludedKey },
    logger,
  );

  /** Returns the stored data of several workers in each campaign, in the order asked for. */
  async function knownMany(
    ref: AccountRef,
    ids: readonly WorkerId[],
  ): Promise<Map<CampaignId, WorkerInCampaign>[]> {
    if (ids.length === 0) return [];
    const campaigns = z.array(CampaignId).parse(await redis.smembers(campaignsKey(ref)));
    const found = await Promise.all(campaigns.map((campaign) => counts.getMany([ref, campaign], ids)));
    return ids.map((id) => {
      const inCampaigns = campaigns.map((campaign, index) => [campaign, found[index]?.get(id)] as const);
      return new Map(
        inCampaigns.flatMap(([campaign, stored]) => (stored ? [[campaign, workerOf(stored)]] : [])),
      );
    });
  }

  async function recordMany(ref: AccountRef, ids: readonly WorkerId[]): Promise<WorkerRecord[]> {
    const known = await knownMany(ref, ids);
    return ids.map((id, position) => recordOf(id, known[position] ?? new Map()));
  }

  return {
    /**
     * Replaces the workers of a campaign by those of its latest import; writes only those that differ. Removed names come back
     * only for workers with tasks to be rated.
     */
    async storeCampaign(ref: AccountRef, campaign: CampaignId, listed: WorkersInCampaign): Promise<void> {
      const key = countsKey([ref, campaign]);
      const nameless = new Set(await redis.smembers(namelessKey(ref, campaign)));
      if (listed.size > 0) await redis.sadd(campaignsKey(ref), campaign);
      for (const some of chunksOf([...listed], workersAtOnce)) {
        const had = await redis.hmget(key, ...some.map(([id]) => id));
        const changed = some.flatMap(([id, worker], index) => {
          const isNameless = nameless.has(id) && !isAwaited(worker);
          const text = encoded(isNameless ? { ...worker, name: '' } : worker);
          return had[index] === text ? [] : [id, text];
        });
        if (changed.length > 0) await redis.hset(key, ...changed);
      }
      if ((await redis.hlen(key)) === listed.size) return;
      const gone = z.array(WorkerId).parse(await redis.hkeys(key));
      for (const some of chunksOf(
        gone.filter((id) => !listed.has(id)),
        workersAtOnce,
      ))
        await redis.hdel(key, ...some);
    },

    /**
     * Removes the names of some of a campaign's workers, or of all, but keeps their counts. Workers with tasks to be rated
     * keep their names.
     */
    async removeNames(ref: AccountRef, campaign: CampaignId, ids?: readonly WorkerId[]): Promise<void> {
      const place = [ref, campaign] as const;
      const found = await (ids === undefined ? counts.all(place) : counts.getMany(place, ids));
      const named = [...found].filter(([, worker]) => worker[1] !== '' && !isAwaited(workerOf(worker)));
      for (const some of chunksOf(named, workersAtOnce)) {
        await redis.sadd(namelessKey(ref, campaign), ...some.map(([id]) => id));
        for (const [id, worker] of some) await counts.replace(place, id, worker, [worker[0], '']);
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

    /** Returns how often a worker was given each saved reason, the most frequent first. */
    async reasonsGiven(ref: AccountRef, id: WorkerId): Promise<ReasonCount[]> {
      const counts = Object.entries(await redis.hgetall(accountKey(ref, keyOf.workerReasons(id))));
      return counts
        .flatMap(([field, count]) => {
          const verdict = verdicts.find((one) => field.startsWith(`${one} `));
          const reason = field.slice(field.indexOf(' ') + 1);
          return verdict === undefined ? [] : [{ verdict, reason, count: Number(count) }];
        })
        .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
    },

    /** Returns the records of several workers, in the order asked for. */
    recordMany,

    /** Each of these takes the audit entry that is added in the same step. */
    async addExcluded(ref: AccountRef, worker: WorkerId, by: Listing, step?: AuditStep): Promise<void> {
      await change(redis, step, ['HSET', excludedKey(ref), worker, listingCodec.encode(by)]);
    },

    async removeExcluded(ref: AccountRef, worker: WorkerId, step?: AuditStep): Promise<void> {
      await change(redis, step, ['HDEL', excludedKey(ref), worker]);
    },

    async clearExcluded(ref: AccountRef, step?: AuditStep): Promise<void> {
      await change(redis, step, ['DEL', excludedKey(ref)]);
    },

    /** Returns the excluded workers known here, latest first. */
    async excluded(ref: AccountRef): Promise<ListedWorker[]> {
      const found = [...(await exclusions.all(ref))];
      return found
        .map(([worker, listing]) => ({ worker, ...listing }))
        .sort((a, b) => b.at - a.at || a.worker.localeCompare(b.worker));
    },

    /** Returns who excluded a worker; undefined when they are not known to be excluded. */
    exclusion: (ref: AccountRef, worker: WorkerId) => exclusions.get(ref, worker),
  };
}

/** Returns whether a worker has tasks that are still to be rated. */
function isAwaited({ counts }: WorkerInCampaign): boolean {
  return counts.NOTREVIEWED + counts.NOTRATED + counts.REVISE > 0;
}

function encoded({ name, counts }: WorkerInCampaign): string {
  return workerCodec.encode([ratings.map((rating) => counts[rating]), name]);
}

function workerOf([values, name]: z.infer<typeof StoredWorker>): WorkerInCampaign {
  const counts = Object.fromEntries(values.map((count, index) => [ratings[index], count]));
  return { name, counts: counts as Record<Rating, number> };
}
