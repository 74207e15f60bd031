import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf, groupBy } from '../domain/group.ts';
import { AccountRef, type WorkspaceId } from '../domain/terms.ts';
import { failingJobsKey, polledAccountsKey, unreadableKey, workspaceKey } from './keys.ts';
import { literal, scanKeys } from './scan.ts';

/** How long the removal of the app is remembered (s): until each process has noticed it. */
const removedSeconds = 86_400;
const keysAtOnce = 500;

const OfWorkspace = z.object({ workspace: z.string() });
const FailingJob = z.object({ payload: OfWorkspace });
const Unreadable = z.object({ key: z.string() });

export type WorkspaceData = ReturnType<typeof createWorkspaceData>;

/** Creates the removal of all stored data of a workspace, except its jobs. */
export function createWorkspaceData(redis: Redis) {
  const removedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'app-removed');
  const patternsOf = (workspace: WorkspaceId) => {
    const own = workspaceKey(workspace, '');
    // Keys of accounts have the workspace before a slash in the same braces.
    return [`${literal(own)}*`, `${literal(own.replace(/}:$/, '/'))}*`];
  };

  async function eraseKeys(workspace: WorkspaceId): Promise<number> {
    const names = new Set<string>();
    for (const pattern of patternsOf(workspace)) {
      for await (const name of scanKeys(redis, pattern)) names.add(name);
    }
    names.delete(removedKey(workspace));
    let erased = 0;
    // One command takes keys of one node of a cluster: those with the same hash tag.
    for (const together of groupBy(names, (name) => /\{[^}]*\}/.exec(name)?.[0]).values()) {
      for (const some of chunksOf(together, keysAtOnce)) erased += await redis.unlink(...some);
    }
    return erased;
  }

  /** Removes the fields of a hash that belong to the workspace. */
  async function eraseFields(key: string, isOfWorkspace: (value: unknown) => boolean): Promise<void> {
    const all = Object.entries(await redis.hgetall(key));
    const fields = all.filter(([, text]) => isOfWorkspace(parsed(text))).map(([field]) => field);
    if (fields.length > 0) await redis.hdel(key, ...fields);
  }

  return {
    /** Records that the app was removed from the workspace: every process that serves it stops, and removes its data. */
    async recordRemoved(workspace: WorkspaceId, at: number): Promise<void> {
      await redis.set(removedKey(workspace), at, 'EX', removedSeconds);
    },

    async isRemoved(workspace: WorkspaceId): Promise<boolean> {
      return (await redis.exists(removedKey(workspace))) === 1;
    },

    /** Records that the app is installed (again). */
    async recordInstalled(workspace: WorkspaceId): Promise<void> {
      await redis.del(removedKey(workspace));
    },

    /** Removes all data of the workspace. Returns the number of keys. */
    async erase(workspace: WorkspaceId): Promise<number> {
      const accounts = (await redis.smembers(polledAccountsKey)).filter((text) => {
        const ref = AccountRef.safeParse(parsed(text));
        return ref.success && ref.data.workspace === workspace;
      });
      if (accounts.length > 0) await redis.srem(polledAccountsKey, ...accounts);
      await eraseFields(failingJobsKey, (value) => {
        const job = FailingJob.safeParse(value);
        return job.success && job.data.payload.workspace === workspace;
      });
      const [own = '', ofAccounts = ''] = patternsOf(workspace).map((pattern) => pattern.slice(0, -1));
      await eraseFields(unreadableKey, (value) => {
        const found = Unreadable.safeParse(value);
        return found.success && [own, ofAccounts].some((prefix) => found.data.key.startsWith(prefix));
      });
      return eraseKeys(workspace);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
