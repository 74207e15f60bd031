import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AccountRef, WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './keys.ts';
import { createLeases, type Lease } from './leases.ts';

export type AccountLeases = ReturnType<typeof createAccountLeases>;

/** Creates the leases and claims of accounts: work that one process does at a time, or only once. */
export function createAccountLeases(redis: Redis) {
  const leases = createLeases(redis);

  return {
    /**
     * Acquires a lease of an account, renewed until it is released; undefined when it is taken. The lease of a dead process
     * expires after `ttlMs`.
     */
    async acquire(
      ref: AccountRef,
      name: string,
      ttlMs: number,
    ): Promise<Pick<Lease, 'release' | 'releaseAfter'> | undefined> {
      const lease = await leases.acquire(accountKey(ref, 'lease', name), ttlMs);
      if (lease === undefined) return undefined;
      // A lease that cannot be renewed expires: its next owner repeats the work, which does no harm.
      const renewing = setInterval(() => void lease.renew().catch(() => undefined), ttlMs / 3);
      return {
        async release() {
          clearInterval(renewing);
          await lease.release();
        },
        async releaseAfter(ms) {
          clearInterval(renewing);
          await lease.releaseAfter(ms);
        },
      };
    },

    /** Resolves to true the first time a name is claimed within an hour, by any process. */
    async claimOnce(workspace: WorkspaceId, name: string): Promise<boolean> {
      const [key, claim] = [workspaceKey(workspace, 'once', name), randomUUID()];
      if ((await redis.set(key, claim, 'EX', 3_600, 'NX')) === 'OK') return true;
      // If the connection ends before the answer, the command is sent again, and finds its own claim.
      return (await redis.get(key)) === claim;
    },
  };
}
