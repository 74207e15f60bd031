import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** Removes expired leases. */
const expire = `
for _, task in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])) do
  redis.call('ZREM', KEYS[1], task)
  redis.call('HDEL', KEYS[2], task)
end
local latest = string.format('%.0f', tonumber(ARGV[2]) + tonumber(ARGV[3]))`;

/**
 * KEYS: lease ends, lease owners, tasks to be decided, the queue. ARGV: owner, now, lease duration (ms), how many tasks to
 * hold, queue time to live (ms), how many tasks to release, those, then those to keep.
 * Returns how many tasks are left in the queue, then the tasks that the owner holds: the kept ones that are still to be
 * decided and not leased by another owner, then the first of the queue.
 */
const takeScript = `${expire}
local owner, count, releases = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[6])
local held = {}
local function hold(task)
  redis.call('ZADD', KEYS[1], latest, task)
  redis.call('HSET', KEYS[2], task, owner)
  held[#held + 1] = task
end
local function drop(task)
  if redis.call('HGET', KEYS[2], task) ~= owner then return end
  redis.call('ZREM', KEYS[1], task)
  redis.call('HDEL', KEYS[2], task)
end
local function isOthers(task)
  local other = redis.call('HGET', KEYS[2], task)
  return other and other ~= owner
end
redis.call('ZINTERSTORE', KEYS[4], 2, KEYS[4], KEYS[3], 'WEIGHTS', 1, 0)
for i = 7, 6 + releases do drop(ARGV[i]) end
for i = 7 + releases, #ARGV do
  local task = ARGV[i]
  if not redis.call('ZSCORE', KEYS[3], task) then drop(task)
  elseif not isOthers(task) then
    hold(task)
    redis.call('ZREM', KEYS[4], task)
  end
end
local position = 0
while #held < count do
  local some = redis.call('ZRANGE', KEYS[4], position, position + 49)
  if #some == 0 then break end
  for _, task in ipairs(some) do
    if #held >= count then break end
    if isOthers(task) then position = position + 1
    else
      hold(task)
      redis.call('ZREM', KEYS[4], task)
    end
  end
end
redis.call('PEXPIRE', KEYS[4], ARGV[5])
return { redis.call('ZCARD', KEYS[4]), unpack(held) }`;

/** KEYS: lease ends, lease owners. ARGV: owner, new end of its leases. */
const renewScript = `
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if all[i + 1] == ARGV[1] then redis.call('ZADD', KEYS[1], ARGV[2], all[i]) end
end`;

/** KEYS: lease ends, lease owners, the queue. ARGV: owner. */
const releaseAllScript = `
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if all[i + 1] == ARGV[1] then
    redis.call('ZREM', KEYS[1], all[i])
    redis.call('HDEL', KEYS[2], all[i])
  end
end
redis.call('DEL', KEYS[3])`;

const Taken = z.tuple([z.number()], TaskId);

/** The tasks that an owner holds, and how many are left in its queue. */
export interface Taken {
  readonly held: readonly TaskId[];
  readonly left: number;
}

export type TaskLeases = ReturnType<typeof createTaskLeases>;

/**
 * Creates the leases on tasks: a reviewer holds the task they look at and the next ones, and nobody else is shown them. Each
 * owner (a focus review) has a queue of tasks. A lease ends when it is released, when its task no longer needs a decision,
 * or when it was not renewed in time.
 * @param leaseMs duration of a lease
 * @param queueMs time to live of a queue that nobody takes from
 */
export function createTaskLeases(
  redis: Redis,
  {
    now,
    leaseMs,
    queueMs,
  }: { readonly now: () => number; readonly leaseMs: number; readonly queueMs: number },
) {
  const endsKey = (ref: AccountRef) => accountKey(ref, 'focus', 'lease-ends');
  const ownersKey = (ref: AccountRef) => accountKey(ref, 'focus', 'leases');
  const queueKey = (ref: AccountRef, owner: string) => accountKey(ref, 'focus', 'queue', owner);
  const openKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'open');

  return {
    /** Replaces an owner's queue by these tasks, in this order. */
    async fill(ref: AccountRef, owner: string, tasks: readonly TaskId[]): Promise<void> {
      const key = queueKey(ref, owner);
      const change = redis.multi().del(key);
      if (tasks.length > 0) change.zadd(key, ...tasks.flatMap((task, index) => [index, task]));
      await change.pexpire(key, queueMs).exec();
    },

    /**
     * Leases tasks: renews the leases on `keep`, and takes the first tasks of the queue that are not leased by another
     * owner, until there are `count`. Releases those of `release`.
     */
    async take(
      ref: AccountRef,
      owner: string,
      {
        count,
        keep = [],
        release = [],
      }: { readonly count: number; readonly keep?: readonly TaskId[]; readonly release?: readonly TaskId[] },
    ): Promise<Taken> {
      const keys = [endsKey(ref), ownersKey(ref), openKey(ref), queueKey(ref, owner)];
      const numbers = [Math.floor(now()), leaseMs, count, queueMs, release.length];
      const answer = await redis.eval(
        takeScript,
        keys.length,
        ...keys,
        owner,
        ...numbers,
        ...release,
        ...keep,
      );
      const [left, ...held] = Taken.parse(answer);
      return { held, left };
    },

    /**
     * Renews the leases that an owner still holds. Does not take back released tasks, or those leased by another owner
     * since.
     */
    async renew(ref: AccountRef, owner: string): Promise<void> {
      const ends = Math.floor(now()) + leaseMs;
      await redis.eval(renewScript, 2, endsKey(ref), ownersKey(ref), owner, ends);
    },

    /** Returns the owner of a task's lease; undefined when there is none. */
    async ownerOf(ref: AccountRef, task: TaskId): Promise<string | undefined> {
      const owner = await redis.hget(ownersKey(ref), task);
      if (owner === null) return undefined;
      return Number((await redis.zscore(endsKey(ref), task)) ?? 0) > now() ? owner : undefined;
    },

    /** Returns the lease owners of these tasks; tasks without a lease are omitted. */
    async owners(ref: AccountRef, tasks: readonly TaskId[]): Promise<Map<TaskId, string>> {
      if (tasks.length === 0) return new Map();
      const [owners, ends] = await Promise.all([
        redis.hmget(ownersKey(ref), ...tasks),
        redis.zmscore(endsKey(ref), ...tasks),
      ]);
      const at = now();
      return new Map(
        tasks.flatMap((task, index) => {
          const owner = owners[index];
          return owner && Number(ends[index] ?? 0) > at ? [[task, owner] as const] : [];
        }),
      );
    },

    /** Ends all leases of an owner, and its queue. */
    async releaseAll(ref: AccountRef, owner: string): Promise<void> {
      await redis.eval(releaseAllScript, 3, endsKey(ref), ownersKey(ref), queueKey(ref, owner), owner);
    },
  };
}
