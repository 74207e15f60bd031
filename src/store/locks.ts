import type { Redis } from 'ioredis';
import type { AccountRef, WorkspaceId } from '../domain/terms.ts';
import { createHolds } from './holds.ts';
import { accountKey, workspaceKey } from './keys.ts';

export type Locks = ReturnType<typeof createLocks>;

/** What only one process does at a time, or only once. */
export function createLocks(redis: Redis) {
  const holds = createHolds(redis);

  return {
    /**
     * Takes a lock of an account, renewed until it is released; undefined when another process has it. The lock of a
     * process that died is free after `ttlMs`.
     */
    async take(
      ref: AccountRef,
      name: string,
      ttlMs: number,
    ): Promise<{ release(): Promise<void> } | undefined> {
      const hold = await holds.take(accountKey(ref, 'lock', name), ttlMs);
      if (hold === undefined) return undefined;
      // One that cannot be renewed runs out: whoever comes next does the work again, which does no harm.
      const renewing = setInterval(() => void hold.keep().catch(() => undefined), ttlMs / 3);
      return {
        async release() {
          clearInterval(renewing);
          await hold.leave();
        },
      };
    },

    /** True the first time a name is given within an hour, whichever process asks. */
    async once(workspace: WorkspaceId, name: string): Promise<boolean> {
      return (await redis.set(workspaceKey(workspace, 'once', name), '1', 'EX', 3_600, 'NX')) === 'OK';
    },
  };
}
