import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type AccountRef, TaskId, type WorkspaceId } from '../domain/terms.ts';
import { accountKey, workspaceKey } from './format.ts';
import { type Command, changeIf, scriptIn } from './scripts.ts';

/** The exclusive right of one job of one process. */
export interface Lease {
  /** Extends the lease. Resolves to false when it has expired and another process has it. */
  renew(): Promise<boolean>;
  /** Releases the lease. May be called again. */
  release(): Promise<void>;
  /** Releases the lease after `ms`: until then nobody can acquire it. */
  releaseAfter(ms: number): Promise<void>;
  /** Reports that a script has released the lease together with another change. */
  markReleased(): void;
}

/** Creates leases: keys in Redis that belong to one process at a time, and within it to one job at a time. */
export function createLeases(redis: Redis) {
  const ownerId: string = crypto.randomUUID();
  const heldKeys = new Set<string>();

  return {
    /** The value of this process's leases in Redis. */
    ownerId,

    /**
     * Acquires a lease; undefined when it is taken. It expires `ttlMs` after its last renewal. A lease that this process
     * could not release because Redis was unreachable can be acquired again by this process at once.
     */
    async acquire(key: string, ttlMs: number): Promise<Lease | undefined> {
      if (heldKeys.has(key)) return undefined;
      heldKeys.add(key);
      let isHeld = false;
      try {
        // Usually it is free.
        isHeld =
          (await redis.set(key, ownerId, 'PX', ttlMs, 'NX')) === 'OK' ||
          (await changeIf(redis, [[ownerId, 'GET', key]], [['PEXPIRE', key, ttlMs]]));
      } finally {
        if (!isHeld) heldKeys.delete(key);
      }
      if (!isHeld) return undefined;
      const markReleased = () => {
        isHeld = false;
        heldKeys.delete(key);
      };
      return {
        renew: () => changeIf(redis, [[ownerId, 'GET', key]], [['PEXPIRE', key, ttlMs]]),
        async release() {
          if (!isHeld) return;
          markReleased();
          await changeIf(redis, [[ownerId, 'GET', key]], [['DEL', key]]);
        },
        async releaseAfter(ms) {
          markReleased();
          const nobody = ['SET', key, 'nobody', 'PX', Math.max(1, Math.ceil(ms))] as const;
          await changeIf(redis, [[ownerId, 'GET', key]], [nobody]);
        },
        markReleased,
      };
    },
  };
}

export type AccountLeases = ReturnType<typeof createAccountLeases>;

/** Creates the leases and claims of accounts: work that one process does at a time, or only once. */
export function createAccountLeases(redis: Redis) {
  const leases = createLeases(redis);

  return {
    /**
     * Acquires a lease of an account, renewed until it is released; undefined when it is taken. The lease of a dead process
     * expires after `ttlMs`.
     */
    async acquire(ref: AccountRef, name: string, ttlMs: number): Promise<Pick<Lease, 'release'> | undefined> {
      const lease = await leases.acquire(accountKey(ref, 'lease', name), ttlMs);
      if (lease === undefined) return undefined;
      // A lease that cannot be renewed expires: its next owner repeats the work, which does no harm.
      const renewing = setInterval(() => void lease.renew().catch(() => undefined), ttlMs / 3);
      return {
        async release() {
          clearInterval(renewing);
          await lease.release();
        },
      };
    },

    /** Resolves to true the first time a name is claimed within an hour, by any process. */
    async claimOnce(workspace: WorkspaceId, name: string): Promise<boolean> {
      const [key, claim] = [workspaceKey(workspace, 'once', name), randomUUID()];
      if ((await redis.set(key, claim, 'EX', 3_600, 'NX')) === 'OK') return true;
      // If the connection ends before the answer, the command is sent again, and finds its own claim.
      return (await redis.get(key)) === claim;
    },
  };
}

const takeTasks = scriptIn('take-tasks');

const Taken = z.tuple([z.number()], TaskId);

/** The tasks that an owner holds, and how many are left in its queue. */
export interface Taken {
  readonly held: readonly TaskId[];
  readonly left: number;
}

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
      return (await this.owners(ref, [task])).get(task);
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
          return owner && Number(ends[index]) > at ? [[task, owner] as const] : [];
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

/**
 * Timeouts, leases and retry delays, in ms. A lease is also how long others wait for a process that was killed.
 */
export interface Timeouts {
  /** One call to the marketplace, waiting and retries included. */
  readonly marketplaceMs: number;
  /** One call to Slack. */
  readonly slackMs: number;
  /** The lease to render a message, renewed before each call: longer than any one call takes. */
  readonly renderLeaseMs: number;
  /** How long an unanswered request may still arrive at Slack: until then the card is left alone. */
  readonly lateArrivalMs: number;
  /** The lease on decisions being sent: longer than the call takes. After it expires they are read back. */
  readonly sendLeaseMs: number;
  /** A lease that its owner renews while it works. */
  readonly leaseMs: number;
  /**
   * The lease on a task that somebody looks at in focus review, renewed by their activity: nobody else is shown it
   * meanwhile.
   */
  readonly focusLeaseMs: number;
  /**
   * A decision of a focus review that follows the previous one sooner than this cannot be meant: nobody has seen the task by
   * then, and the second click of a double click lands on it.
   */
  readonly doubleClickMs: number;
  /**
   * The lock on a job of the queue, which its worker renews while it works. A process in which nothing runs for half of it
   * may see its jobs run elsewhere as well.
   */
  readonly jobLockMs: number;
  /** The backoff before a failed job is retried; it doubles each time, up to 15 to 30 times this. */
  readonly firstRetryMs: number;
  /** How long a card may be out of date before a poll queues its job again. */
  readonly requeueAfterMs: number;
  /** How long a process that stops still takes requests: a load balancer needs a while to notice that it is not ready. */
  readonly drainMs: number;
  /** How long a request for approval is valid: it is carried out within this time or not at all. */
  readonly approvalMs: number;
}

export const defaultTimeouts: Timeouts = {
  marketplaceMs: 15_000,
  slackMs: 10_000,
  renderLeaseMs: 30_000,
  lateArrivalMs: 15_000,
  sendLeaseMs: 40_000,
  leaseMs: 15_000,
  focusLeaseMs: 120_000,
  doubleClickMs: 300,
  jobLockMs: 10_000,
  firstRetryMs: 1_000,
  requeueAfterMs: 5_000,
  drainMs: 3_000,
  approvalMs: 24 * 3_600_000,
};
