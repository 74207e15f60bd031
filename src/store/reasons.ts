import type { Redis } from 'ioredis';
import { z } from 'zod';
import { keyOf, refusalName } from '../domain/index-changes.ts';
import { byUse, isStarting, type SavedReason, StoredReason, startingReasons } from '../domain/reason.ts';
import type { Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, TaskId, type Verdict } from '../domain/terms.ts';
import type { AuditStep } from './audit.ts';
import { accountKey, createCodec } from './format.ts';
import { changeIf } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

export const storedReasonCodec = createCodec('reason', StoredReason);

/** Most reasons of an account that are stored: with the starting set, as many as one modal shows. */
export const maxReasons = 80;

/** Returns the key of the hash that counts how often ratings were given with each reason. */
export function reasonUsesKey(ref: AccountRef): string {
  return accountKey(ref, keyOf.reasonUses);
}

/**
 * Creates the store of an account's saved reasons. The starting set is in the code: only changes and removals of it are
 * stored. Uses are counted by the step that makes a decision a rating (tasks.ts).
 */
export function createReasons(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'reasons');
  const stored = createStoredHash(redis, { codec: storedReasonCodec, field: z.string(), key }, logger);

  async function all(ref: AccountRef): Promise<SavedReason[]> {
    const [changed, uses] = await Promise.all([stored.all(ref), redis.hgetall(reasonUsesKey(ref))]);
    const started = startingReasons.filter(({ id }) => !changed.has(id));
    const own = [...changed].flatMap(([id, { isRemoved, ...reason }]) =>
      isRemoved ? [] : [{ ...reason, id }],
    );
    return [...started, ...own]
      .map((reason) => ({ ...reason, uses: Number(uses[reason.id] ?? 0) }))
      .sort(byUse);
  }

  async function swap(
    ref: AccountRef,
    before: SavedReason,
    after: StoredReason | undefined,
    step: AuditStep,
  ): Promise<boolean> {
    const stands = await stored.get(ref, before.id);
    if (stands?.isRemoved || stands?.at !== before.at) return false;
    return stored.replace(ref, before.id, stands, after, step);
  }

  return {
    /** Returns every reason of an account, most used first. */
    all,

    /** Returns the reasons for one verdict in one campaign, most used first. */
    async offered(
      ref: AccountRef,
      { campaign, verdict }: { readonly campaign: CampaignId; readonly verdict: Verdict },
    ): Promise<SavedReason[]> {
      return (await all(ref)).filter(
        (one) => one.verdict === verdict && (one.campaign ?? campaign) === campaign,
      );
    },

    async get(ref: AccountRef, id: string): Promise<SavedReason | undefined> {
      return (await all(ref)).find((one) => one.id === id);
    },

    /**
     * Adds a reason, unless the form was delivered twice and it is there. Resolves to false when the maximum is reached.
     * @param step its audit entry
     */
    async add(ref: AccountRef, id: string, reason: StoredReason, step: AuditStep): Promise<boolean> {
      const set = ['HSET', key(ref), id, storedReasonCodec.encode(reason)] as const;
      for (;;) {
        const [isThere, count] = await Promise.all([redis.hexists(key(ref), id), redis.hlen(key(ref))]);
        if (isThere) return true;
        if (count >= maxReasons) return false;
        if (
          await changeIf(
            redis,
            [
              [String(count), 'HLEN', key(ref)],
              ['', 'HGET', key(ref), id],
            ],
            [set],
            step,
          )
        )
          return true;
      }
    },

    /**
     * Changes a reason if it is still as it was read. Resolves to false when somebody has changed or removed it since.
     * @param step its audit entry
     */
    change: (ref: AccountRef, before: SavedReason, after: StoredReason, step: AuditStep): Promise<boolean> =>
      swap(ref, before, after, step),

    /** Removes a reason, under the same condition. @param by who removes it, and when (ms) */
    async remove(
      ref: AccountRef,
      before: SavedReason,
      by: Pick<StoredReason, 'by' | 'at'>,
      step: AuditStep,
    ): Promise<boolean> {
      const { id, uses: _, ...reason } = before;
      // A removed reason of the starting set would otherwise come back.
      const after = isStarting(id) ? { ...reason, ...by, isRemoved: true as const } : undefined;
      return swap(ref, before, after, step);
    },
  };
}

/** When this many different workers are refused for one reason, the instructions may be at fault. */
export const workersAtFault = 3;
const casesKey = (ref: AccountRef, { campaign, reason }: Refused) =>
  accountKey(ref, keyOf.refusals(campaign, reason));
const dueKey = (ref: AccountRef) => accountKey(ref, keyOf.refusalsDue);
const toldKey = (ref: AccountRef) => accountKey(ref, 'refusals-told');

/** How many tasks are shown at most. */
const mostShown = 20;

/** A campaign in which several workers were refused for one saved reason. */
export interface Refused {
  readonly campaign: CampaignId;
  readonly reason: string;
}

function refusedIn(name: string): Refused {
  const [campaign = '', reason = ''] = name.split(' ').map(decodeURIComponent);
  return { campaign: CampaignId.parse(campaign), reason };
}

/** Creates the reader of recent refusals by saved reason. */
export function createRefusals(redis: Redis) {
  return {
    /** Returns where several workers were refused for one reason, and nobody was told yet. */
    async due(ref: AccountRef): Promise<Refused[]> {
      const names = await redis.smembers(dueKey(ref));
      const found = await Promise.all(
        names.map(async (name) => {
          const refused = refusedIn(name);
          const [workers, isTold] = await Promise.all([
            redis.hlen(casesKey(ref, refused)),
            redis.sismember(toldKey(ref), name),
          ]);
          // Nobody was refused for it lately, or nobody has to be told any more.
          if (workers === 0 || isTold === 1) await redis.srem(dueKey(ref), name);
          return workers >= workersAtFault && isTold === 0 ? [refused] : [];
        }),
      );
      return found.flat();
    },

    /** Records that the team was told: once for each campaign and reason. */
    async told(ref: AccountRef, refused: Refused): Promise<void> {
      const name = refusalName(refused.campaign, refused.reason);
      await redis.multi().sadd(toldKey(ref), name).srem(dueKey(ref), name).exec();
    },

    /** Returns the latest task of each worker refused for a reason. */
    async tasks(ref: AccountRef, refused: Refused): Promise<TaskId[]> {
      const ids = await redis.hvals(casesKey(ref, refused));
      return ids.slice(0, mostShown).map((id) => TaskId.parse(id));
    },

    /** Removes a task whose details are about to be removed. */
    async forget(ref: AccountRef, { id, campaign, worker, decision }: Task): Promise<void> {
      if (decision?.reason === undefined) return;
      const key = casesKey(ref, { campaign, reason: decision.reason });
      if ((await redis.hget(key, worker.id)) === id) await redis.hdel(key, worker.id);
    },
  };
}
