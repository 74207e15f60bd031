import type { Redis } from 'ioredis';
import { z } from 'zod';
import { MemberId, type WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

const members = z.array(MemberId);

export type OpenedHomes = ReturnType<typeof createOpenedHomes>;

/** Creates the store of who has opened their home tab, and when (ms). */
export function createOpenedHomes(redis: Redis) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-opened');

  return {
    async record(workspace: WorkspaceId, member: MemberId, at: number): Promise<void> {
      await redis.zadd(key(workspace), at, member);
    },

    /** Returns who has opened it since a moment (ms), the latest first, at most `limit`; forgets the others. */
    async since(workspace: WorkspaceId, moment: number, limit: number): Promise<MemberId[]> {
      await redis.zremrangebyscore(key(workspace), '-inf', `(${moment}`);
      return members.parse(await redis.zrevrange(key(workspace), 0, limit - 1));
    },
  };
}
