import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A time in which an account's polls fail, until the delayed work is caught up. */
const AccountOutage = z
  .object({
    code: z.string(),
    /** Why polls fail, as a sentence that says what to do. */
    text: z.string(),
    since: z.number(),
    /** Whether people were told that it began. */
    notified: z.boolean(),
    /** When polls worked again (ms). */
    recoveredAt: z.number().exactOptional(),
    /** What was caught up since. */
    tasks: z.number(),
    decisions: z.number(),
  })
  .readonly();
export type AccountOutage = z.infer<typeof AccountOutage>;

export const accountOutageCodec = createCodec('account-outage', AccountOutage);

export type AccountOutages = ReturnType<typeof createAccountOutages>;

/** Creates the store of account outages, so that people are told once about each, and once what was caught up. */
export function createAccountOutages(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: accountOutageCodec, field: z.string() }, logger);
  const keyOf = ({ workspace }: AccountRef) => workspaceKey(workspace, 'account-outages');

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

    /** Claims the notice. Resolves to true for the caller that must send it. */
    async claimNotice(ref: AccountRef): Promise<boolean> {
      const before = await stored.update(keyOf(ref), ref.account, (outage) =>
        outage && !outage.notified ? { ...outage, notified: true } : outage,
      );
      return before?.notified === false;
    },

    /** Records when polls worked again. */
    async recordRecovery(ref: AccountRef, at: number): Promise<void> {
      await stored.update(keyOf(ref), ref.account, (outage) =>
        outage && outage.recoveredAt === undefined ? { ...outage, recoveredAt: at } : outage,
      );
    },

    /** Counts work that is caught up before an outage is over. */
    async count(
      ref: AccountRef,
      { tasks = 0, decisions = 0 }: { tasks?: number; decisions?: number },
    ): Promise<void> {
      if (tasks + decisions === 0) return;
      await stored.update(
        keyOf(ref),
        ref.account,
        (outage) =>
          outage && { ...outage, tasks: outage.tasks + tasks, decisions: outage.decisions + decisions },
      );
    },

    /**
     * Ends an outage whose polls recovered at that time (ms), after people were told. If polls have failed again meanwhile,
     * that is another outage, which nobody was told of yet.
     */
    async end(ref: AccountRef, recoveredAt: number | undefined): Promise<void> {
      await stored.update(keyOf(ref), ref.account, (outage) =>
        outage?.recoveredAt === recoveredAt ? undefined : outage && { ...outage, notified: false },
      );
    },

    /** Removes an outage because a channel's notice shows that people were told it is over. */
    async remove(ref: AccountRef): Promise<void> {
      await stored.update(keyOf(ref), ref.account, () => undefined);
    },
  };
}
