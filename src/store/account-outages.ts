import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import { createBatches } from './batches.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A time in which an account's polls fail, until what it delayed is made good. */
const AccountOutage = z
  .object({
    code: z.string(),
    /** Why polls fail, as a sentence with what to do. */
    text: z.string(),
    since: z.number(),
    /** Whether people were told that it began. */
    notified: z.boolean(),
    /** When polls worked again (ms). */
    recoveredAt: z.number().exactOptional(),
    /** What was made good since. */
    tasks: z.number(),
    decisions: z.number(),
  })
  .readonly();
export type AccountOutage = z.infer<typeof AccountOutage>;

export const accountOutageCodec = createCodec('account-outage', AccountOutage);

export type AccountOutages = ReturnType<typeof createAccountOutages>;

/** What was made good of an account. */
interface Counted {
  readonly ref: AccountRef;
  readonly tasks: number;
  readonly decisions: number;
}

/** Creates the store of the outages of accounts, so that people are told once about each, and once what was made good. */
export function createAccountOutages(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: accountOutageCodec, field: z.string() }, logger);
  const keyOf = ({ workspace }: AccountRef) => workspaceKey(workspace, 'account-outages');

  /** The items are of one account. */
  const counts = createBatches(async (all: readonly [Counted, ...Counted[]]) => {
    const [{ ref }] = all;
    await stored.update(keyOf(ref), ref.account, (outage) => {
      if (outage === undefined) return undefined;
      const tasks = all.reduce((sum, one) => sum + one.tasks, outage.tasks);
      const decisions = all.reduce((sum, one) => sum + one.decisions, outage.decisions);
      return { ...outage, tasks, decisions };
    });
    return all.map(() => undefined);
  });

  return {
    async get(ref: AccountRef): Promise<AccountOutage | undefined> {
      return stored.get(keyOf(ref), ref.account);
    },

    /** Records that polls fail. Returns the outage. @param since when calls began to fail (ms) */
    async begin(
      ref: AccountRef,
      { code, text, since }: Pick<AccountOutage, 'code' | 'text' | 'since'>,
    ): Promise<AccountOutage> {
      let outage: AccountOutage | undefined;
      await stored.update(keyOf(ref), ref.account, (before) => {
        const { recoveredAt: _, ...known } = before ?? { since, notified: false, tasks: 0, decisions: 0 };
        outage = { ...known, code, text };
        return outage;
      });
      if (outage === undefined) throw new Error('an outage was just stored');
      return outage;
    },

    /** Records that people are told. Resolves true for the one who is to tell them. */
    async claimNotice(ref: AccountRef): Promise<boolean> {
      const before = await stored.update(keyOf(ref), ref.account, (outage) =>
        outage && !outage.notified ? { ...outage, notified: true } : outage,
      );
      return before?.notified === false;
    },

    /** Takes up what a channel shows: people were told that an outage began (ms), which Redis has lost. */
    async restore(ref: AccountRef, since: number): Promise<void> {
      await stored.update(keyOf(ref), ref.account, (outage) => ({
        ...(outage ?? { code: 'UNKNOWN', text: '', since, tasks: 0, decisions: 0 }),
        notified: true,
      }));
    },

    /** Records when polls worked again. */
    async recordRecovery(ref: AccountRef, at: number): Promise<void> {
      await stored.update(keyOf(ref), ref.account, (outage) =>
        outage && outage.recoveredAt === undefined ? { ...outage, recoveredAt: at } : outage,
      );
    },

    /** Counts what is made good while an outage is not over. */
    async count(
      ref: AccountRef,
      { tasks = 0, decisions = 0 }: { tasks?: number; decisions?: number },
    ): Promise<void> {
      if (tasks + decisions > 0) await counts(accountKey(ref), { ref, tasks, decisions });
    },

    /**
     * Ends an outage from which polls recovered then (ms), after people were told. If polls have failed again meanwhile, that
     * is another outage, of which nobody was told yet.
     */
    async end(ref: AccountRef, recoveredAt: number | undefined): Promise<void> {
      await stored.update(keyOf(ref), ref.account, (outage) =>
        outage?.recoveredAt === recoveredAt ? undefined : outage && { ...outage, notified: false },
      );
    },

    /** Takes up what a channel shows: people were told that the outage is over. */
    async remove(ref: AccountRef): Promise<void> {
      await stored.update(keyOf(ref), ref.account, () => undefined);
    },
  };
}
