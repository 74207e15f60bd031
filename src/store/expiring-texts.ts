import type { Redis } from 'ioredis';
import type { WorkspaceId } from '../domain/terms.ts';
import type { AuditStep } from './audit/writer.ts';
import { change } from './change.ts';
import { workspaceKey } from './keys.ts';

/** A text stored in the same step as the claim of an act. */
export interface ClaimedText {
  readonly key: string;
  readonly text: string;
  readonly seconds: number;
}

export type ExpiringTexts = ReturnType<typeof createExpiringTexts>;

/** Creates the store of expiring texts, by name: drafts of long forms, lists that are requested often. */
export function createExpiringTexts(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'texts', name);

  return {
    /**
     * Stores a text for `seconds`, replacing the previous one of that name.
     * @param step an audit entry that is added in the same step
     */
    async put(
      workspace: WorkspaceId,
      name: string,
      text: string,
      seconds: number,
      step?: AuditStep,
    ): Promise<void> {
      await change(redis, step, ['SET', key(workspace, name), text, 'EX', seconds]);
    },

    /** Returns a text to be stored together with a claim, see `claim` of the audit. */
    claimedWith: (workspace: WorkspaceId, name: string, text: string, seconds: number): ClaimedText => ({
      key: key(workspace, name),
      text,
      seconds,
    }),

    async get(workspace: WorkspaceId, name: string): Promise<string | undefined> {
      return (await redis.get(key(workspace, name))) ?? undefined;
    },

    async remove(workspace: WorkspaceId, name: string): Promise<void> {
      await redis.del(key(workspace, name));
    },
  };
}
