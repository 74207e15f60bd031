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

    /**
     * Records that polls fail. Resolves to the outage for the one caller that must tell people of it.
     * @param since when calls began to fail (ms), if this begins an outage
     * @param tells returns whether people are to be told of an outage that began then (ms)
     */
    async begin(
      ref: AccountRef,
      since: number,
      tells: (since: number) => boolean,
    ): Promise<AccountOutage | undefined> {
      let begun: AccountOutage | undefined;
      const before = await stored.update(keyOf(ref), ref.account, (known) => {
        const { recoveredAt: _, ...outage } = known ?? { since, notified: false, tasks: 0, decisions: 0 };
        begun = { ...outage, notified: outage.notified || tells(outage.since) };
        return begun;
      });
      return begun?.notified && !before?.notified ? begun : undefined;
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
  };
}
