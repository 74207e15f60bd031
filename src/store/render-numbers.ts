import type { Redis } from 'ioredis';
import type { WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

export type RenderNumbers = ReturnType<typeof createRenderNumbers>;

/**
 * Creates sequence numbers for views that are always rendered as a whole, such as home tabs: each rendering takes the next
 * one. Of two concurrent renderings, in any process, the one with the lower number is out of date.
 */
export function createRenderNumbers(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'revision', name);

  return {
    /** Takes the next number, from 1. Numbers restart when none is taken for `seconds`. */
    async next(workspace: WorkspaceId, name: string, seconds: number): Promise<number> {
      const taken = key(workspace, name);
      const answers = await redis.multi().incr(taken).expire(taken, seconds).exec();
      return Number(answers?.[0]?.[1]);
    },

    /** Returns the number taken last; 0 when there is none. */
    async last(workspace: WorkspaceId, name: string): Promise<number> {
      return Number(await redis.get(key(workspace, name)));
    },
  };
}
