import type { Redis } from 'ioredis';
import type { AccountRef, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { createLeases } from './leases.ts';

export type AccountLeases = ReturnType<typeof createAccountLeases>;

/** What only one process does at a time, or only once. */
export function createAccountLeases(redis: Redis) {
  const leases = createLeases(redis);

  return {
    /**
     * Takes a lock of an account, renewed until it is released; undefined when another process has it. The lock of a
     * process that died is free after `ttlMs`.
     */
    async acquire(
      ref: AccountRef,
      name: string,
      ttlMs: number,
    ): Promise<{ release(): Promise<void> } | undefined> {
      const lease = await leases.acquire(accountKey(ref, 'lock', name), ttlMs);
      if (lease === undefined) return undefined;
      // One that cannot be renewed runs out: whoever comes next does the work again, which does no harm.
      const renewing = setInterval(() => void lease.renew().catch(() => undefined), ttlMs / 3);
      return {
        async release() {
          clearInterval(renewing);
          await lease.release();
        },
      };
    },

    /** True the first time a name is given within an hour, whichever process asks. */
    async claimOnce(workspace: WorkspaceId, name: string): Promise<boolean> {
      return (await redis.set(workspaceKey(workspace, 'once', name), '1', 'EX', 3_600, 'NX')) === 'OK';
    },
  };
}
