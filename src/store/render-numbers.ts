import type { Redis } from 'ioredis';
import type { WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

export type RenderNumbers = ReturnType<typeof createRenderNumbers>;

/**
 * Numbers for what is drawn anew as a whole, such as a home tab: each drawing takes the next one. Of two drawings at
 * once, by whichever process, the one with the lower number is out of date.
 */
export function createRenderNumbers(redis: Redis) {
  const key = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'revision', name);

  return {
    /** Takes the next number, from 1. It is forgotten when none is taken for `seconds`. */
    async next(workspace: WorkspaceId, name: string, seconds: number): Promise<number> {
      const taken = key(workspace, name);
      const answers = await redis.multi().incr(taken).expire(taken, seconds).exec();
      return Number(answers?.[0]?.[1]);
    },

    /** The number taken last; 0 when there is none. */
    async last(workspace: WorkspaceId, name: string): Promise<number> {
      return Number(await redis.get(key(workspace, name)));
    },
  };
}
