import type { Redis } from 'ioredis';
import { z } from 'zod';
import { keyOf } from '../domain/index-changes.ts';
import { byUse, type SavedReason, StoredReason } from '../domain/reason.ts';
import { isStarting, startingReasons } from '../domain/starting-reasons.ts';
import type { AccountRef, CampaignId, Verdict } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { changeIf } from './change.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const storedReasonCodec = createCodec('reason', StoredReason);

/** Most reasons of an account: as many as a select takes. */
export const maxReasons = 100;

/** Returns the key of the hash that counts how often ratings were given with each reason. */
export function reasonUsesKey(ref: AccountRef): string {
  return accountKey(ref, keyOf.reasonUses);
}

export type Reasons = ReturnType<typeof createReasons>;

/**
 * Creates the store of an account's saved reasons. The starting set is in the code: only changes and removals of it are
 * stored. Uses are counted by the step that makes a decision a rating (tasks.ts).
 */
export function createReasons(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'reasons');
  const stored = createStoredHash(redis, { codec: storedReasonCodec, field: z.string() }, logger);

  async function all(ref: AccountRef): Promise<SavedReason[]> {
    const [changed, uses] = await Promise.all([stored.all(key(ref)), redis.hgetall(reasonUsesKey(ref))]);
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
    const stands = await stored.get(key(ref), before.id);
    if (stands?.isRemoved || stands?.at !== before.at) return false;
    return stored.replace(key(ref), before.id, stands, after, step);
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
