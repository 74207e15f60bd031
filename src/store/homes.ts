import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/collections.ts';
import { MemberId, type WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './format.ts';
import { changeIf } from './scripts.ts';

const openedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-opened');
const dueKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-due');
const publishedKey = (workspace: WorkspaceId) => workspaceKey(workspace, 'homes-published');

/** Returns the keys that name members whose home tab is or was open. */
export function homeKeys(workspace: WorkspaceId): string[] {
  return [openedKey(workspace), dueKey(workspace), publishedKey(workspace)];
}

/** Which home tabs to publish, and when (ms). */
export interface HomeRequest {
  readonly since: number;
  readonly at: number;
  readonly spacingMs: number;
}

export type OpenedHomes = ReturnType<typeof createOpenedHomes>;

/**
 * Creates the store of who has opened their home tab and when, and of whose must be published again. Duplicate requests for
 * a tab are merged.
 */
export function createOpenedHomes(redis: Redis) {
  return {
    async record(workspace: WorkspaceId, member: MemberId, at: number): Promise<void> {
      await redis.zadd(openedKey(workspace), at, member);
    },

    /**
     * Requests the home tabs of members, or of the `limit` that were opened last, if they were opened since `since`: at
     * least `spacingMs` after their last publication, and no later than requested before. Returns when the first of all requested
     * tabs is due (ms); undefined when none is.
     */
    async request(
      workspace: WorkspaceId,
      { since, at, spacingMs }: HomeRequest,
      of: { readonly members: readonly MemberId[] } | { readonly limit: number },
    ): Promise<number | undefined> {
      const [opened, published] = [openedKey(workspace), publishedKey(workspace)];
      const named =
        'members' in of
          ? of.members
          : await redis.zrevrangebyscore(opened, '+inf', since, 'LIMIT', 0, of.limit);
      if ('members' in of && named.length === 0) return undefined;
      await Promise.all([opened, published].map((key) => redis.zremrangebyscore(key, '-inf', `(${since}`)));
      if (named.length > 0) {
        const [openedAt, publishedAt] = await Promise.all([
          redis.zmscore(opened, ...named),
          redis.zmscore(published, ...named),
        ]);
        const due = named.flatMap((member, index) =>
          openedAt[index] === null
            ? []
            : [Math.max(Math.ceil(at), Number(publishedAt[index] ?? 0) + spacingMs), member],
        );
        if (due.length > 0) await redis.zadd(dueKey(workspace), 'LT', ...due);
      }
      return this.firstDue(workspace);
    },

    /** Returns the members whose home tab is due, the longest due first, and since when. */
    async due(workspace: WorkspaceId, now: number, limit: number): Promise<[MemberId, number][]> {
      const key = dueKey(workspace);
      const found = await redis.zrangebyscore(key, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit);
      return chunksOf(found, 2).map(([member, since]) => [MemberId.parse(member), Number(since)]);
    },

    /** Returns when the first requested tab is due (ms); undefined when none is. */
    async firstDue(workspace: WorkspaceId): Promise<number | undefined> {
      const [, score] = await redis.zrange(dueKey(workspace), '0', '0', 'WITHSCORES');
      return score === undefined ? undefined : Number(score);
    },

    /** Records that a home tab was published. @param due since when it was due, as returned by {@link due} */
    async published(workspace: WorkspaceId, member: MemberId, now: number, due?: number): Promise<void> {
      const key = dueKey(workspace);
      await redis.zadd(publishedKey(workspace), 'GT', now, member);
      const text = await redis.zscore(key, member);
      if (text !== null && (Number(text) === due || Number(text) <= now))
        await changeIf(redis, [[text, 'ZSCORE', key, member]], [['ZREM', key, member]]);
    },
  };
}

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
