import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, TaskId } from '../domain/terms.ts';
import { type Command, changeIf } from './change.ts';
import { accountKey } from './keys.ts';
import { scriptIn } from './scripts.ts';

const takeTasks = scriptIn('take-tasks');

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

  /** Runs commands for each task that an owner holds, if it still does. */
  async function changeHeld(ref: AccountRef, owner: string, of: (task: string) => readonly Command[]) {
    const key = ownersKey(ref);
    for (const [task, by] of Object.entries(await redis.hgetall(key)))
      if (by === owner) await changeIf(redis, [[owner, 'HGET', key, task]], of(task));
  }

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
      const answer = await takeTasks(redis, keys, [owner, ...numbers, ...release, ...keep]);
      const [left, ...held] = Taken.parse(answer);
      return { held, left };
    },

    /**
     * Renews the leases that an owner still holds. Does not take back released tasks, or those leased by another owner
     * since.
     */
    async renew(ref: AccountRef, owner: string): Promise<void> {
      const ends = Math.floor(now()) + leaseMs;
      await changeHeld(ref, owner, (task) => [['ZADD', endsKey(ref), ends, task]]);
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
      await changeHeld(ref, owner, (task) => [
        ['ZREM', endsKey(ref), task],
        ['HDEL', ownersKey(ref), task],
      ]);
      await redis.del(queueKey(ref, owner));
    },
  };
}
