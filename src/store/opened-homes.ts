import type { Redis } from 'ioredis';
import { z } from 'zod';
import { MemberId, type WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

const members = z.array(MemberId);

/**
 * Schedules home tabs to be published, at least `ARGV[4]` ms after their last publication, and no later than requested
 * before. Only those opened since `ARGV[1]`: of the named members, or of the latest `ARGV[5]`.
 * KEYS: when each was opened, when each is due, when each was published last. ARGV: since, now, earliest time, spacing,
 * limit, members … Returns when the first of all is due (ms), or nothing.
 */
const requestScript = `
local since = tonumber(ARGV[1])
local named = { unpack(ARGV, 6) }
if #named == 0 then named = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', ARGV[1], 'LIMIT', 0, ARGV[5]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ARGV[1])
for _, member in ipairs(named) do
  if tonumber(redis.call('ZSCORE', KEYS[1], member) or '-1') >= since then
    local last = tonumber(redis.call('ZSCORE', KEYS[3], member) or '0')
    local at = math.max(tonumber(ARGV[3]), last + tonumber(ARGV[4]))
    redis.call('ZADD', KEYS[2], 'LT', string.format('%.0f', at), member)
  end
end
return redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]`;

/**
 * Records that a home tab was published. It stays due if it was requested again since. KEYS: due, published. ARGV: member,
 * when it was due as read or '', now.
 */
const publishedScript = `
redis.call('ZADD', KEYS[2], 'GT', ARGV[3], ARGV[1])
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if due and (ARGV[2] == due or tonumber(due) <= tonumber(ARGV[3])) then redis.call('ZREM', KEYS[1], ARGV[1]) end`;

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
  readonly now: number;
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
     * Requests the home tabs of members, or of the `limit` that were opened last. Returns when the first of all requested
     * tabs is due (ms); undefined when none is.
     */
    async request(
      workspace: WorkspaceId,
      { since, now, at, spacingMs }: HomeRequest,
      of: { readonly members: readonly MemberId[] } | { readonly limit: number },
    ): Promise<number | undefined> {
      const named = 'members' in of ? of.members : [];
      if ('members' in of && named.length === 0) return undefined;
      const keys = homeKeys(workspace);
      const limit = 'limit' in of ? of.limit : 0;
      const args = [since, now, Math.ceil(at), spacingMs, limit, ...named];
      const first = await redis.eval(requestScript, keys.length, ...keys, ...args);
      return first === null ? undefined : Number(first);
    },

    /** Returns the members whose home tab is due, the longest due first, and since when. */
    async due(workspace: WorkspaceId, now: number, limit: number): Promise<[MemberId, number][]> {
      const found = await redis.zrangebyscore(
        dueKey(workspace),
        '-inf',
        now,
        'WITHSCORES',
        'LIMIT',
        0,
        limit,
      );
      return members
        .parse(found.filter((_, index) => index % 2 === 0))
        .map((member, index) => [member, Number(found[2 * index + 1])]);
    },

    /** Returns when the first requested tab is due (ms); undefined when none is. */
    async firstDue(workspace: WorkspaceId): Promise<number | undefined> {
      const [, score] = await redis.zrange(dueKey(workspace), '0', '0', 'WITHSCORES');
      return score === undefined ? undefined : Number(score);
    },

    /** Records that a home tab was published. @param due since when it was due, as returned by {@link due} */
    async published(workspace: WorkspaceId, member: MemberId, now: number, due?: number): Promise<void> {
      const keys = [dueKey(workspace), publishedKey(workspace)];
      await redis.eval(publishedScript, keys.length, ...keys, member, due ?? '', now);
    },
  };
}
