import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import type { AccountRef } from '../domain/terms.ts';
import { changeIf } from './change.ts';
import { createLeases, type Lease } from './leases.ts';

/** The exclusive right to render a record's message, for one job at a time. */
export interface RenderLease extends Pick<Lease, 'renew' | 'release' | 'releaseAfter'> {
  /**
   * Reports that the message shows `revision`. Resolves to true, with the lease released, when that is the latest; to false
   * when the record has changed meanwhile and must be rendered again.
   */
  markRendered(revision: number): Promise<boolean>;
}

/** The keys of one kind of record. */
interface RenderingKeys<Id> {
  readonly record: (ref: AccountRef, id: Id) => string;
  readonly lease: (ref: AccountRef, id: Id) => string;
  /** The sorted set of the records whose message does not show their latest revision, by the time since when (ms). */
  readonly needsRender: (ref: AccountRef) => string;
}

/** Creates the tracking of which records' messages must be rendered, and who may render one. */
export function createRendering<Id extends string>(redis: Redis, keys: RenderingKeys<Id>) {
  const leases = createLeases(redis);

  return {
    async needsRender(ref: AccountRef, id: Id): Promise<boolean> {
      return (await redis.zscore(keys.needsRender(ref), id)) !== null;
    },

    /** Queues messages to be rendered again although their records have not changed. */
    async markNeedsRender(ref: AccountRef, ids: readonly Id[]): Promise<void> {
      for (const some of chunksOf(ids, 1_000))
        await redis.zadd(keys.needsRender(ref), 'NX', ...some.flatMap((id) => [0, id]));
    },

    /** Leaves the record's message unchanged until the record changes again. */
    async clearNeedsRender(ref: AccountRef, id: Id): Promise<void> {
      await redis.zrem(keys.needsRender(ref), id);
    },

    /**
     * Acquires the right to render a record's message; undefined when another job has it. The lease of a dead process
     * expires `ttlMs` after its last renewal.
     */
    async acquireRenderLease(ref: AccountRef, id: Id, ttlMs: number): Promise<RenderLease | undefined> {
      const lease = await leases.acquire(keys.lease(ref, id), ttlMs);
      if (lease === undefined) return undefined;
      return {
        renew: lease.renew,
        release: lease.release,
        releaseAfter: lease.releaseAfter,
        async markRendered(revision) {
          const isLatest = [String(revision), 'HGET', keys.record(ref, id), 'revision'] as const;
          const isOwn = [leases.ownerId, 'GET', keys.lease(ref, id)] as const;
          const done = ['ZREM', keys.needsRender(ref), id] as const;
          // In one step: a job that finds the lease taken relies on its holder to render what has changed since. Without
          // the lease, which has expired, there is none to release.
          const isDone =
            (await changeIf(redis, [isLatest, isOwn], [done, ['DEL', keys.lease(ref, id)]])) ||
            (await changeIf(redis, [isLatest], [done]));
          if (isDone) lease.markReleased();
          return isDone;
        },
      };
    },
  };
}
