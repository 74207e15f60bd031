import type { Redis } from 'ioredis';
import type { WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

export type ExpiringTexts = ReturnType<typeof createExpiringTexts>;

/** Creates the store of texts that expire, by name: drafts of long forms, lists that are requested often. */
export function createExpiringTexts(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'kept', name);

  return {
    /** Stores a text for `seconds`, in place of the one of that name. */
    async put(workspace: WorkspaceId, name: string, text: string, seconds: number): Promise<void> {
      await redis.set(key(workspace, name), text, 'EX', seconds);
    },

    async get(workspace: WorkspaceId, name: string): Promise<string | undefined> {
      return (await redis.get(key(workspace, name))) ?? undefined;
    },

    async remove(workspace: WorkspaceId, name: string): Promise<void> {
      await redis.del(key(workspace, name));
    },
  };
}
