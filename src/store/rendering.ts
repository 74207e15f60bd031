import type { Redis } from 'ioredis';
import { chunksOf } from '../domain/group.ts';
import type { AccountRef } from '../domain/terms.ts';
import { createBatches } from './batches.ts';
import { accountKey } from './keys.ts';
import { createLeases, type Lease } from './leases.ts';
import { recordFunctions } from './stored-record.ts';

/** Messages rendered within this time are recorded in one step (ms). */
const collectMs = 10;

/**
 * Marks revisions as rendered. If a revision is still the record's latest, the record no longer needs rendering and the
 * lease is released; otherwise it must be rendered again. KEYS: needs-render set, then the records, then their leases. ARGV:
 * owner, then the ids, then the revisions. Returns 1 or 0 for each.
 */
const markRenderedScript = `
${recordFunctions}
local count = (#KEYS - 1) / 2
local stored = redis.call('MGET', unpack(KEYS, 2))
local results, rendered, released = {}, {}, {}
for i = 1, count do
  local record = stored[i] and recordIn(stored[i]) or readRecord(KEYS[i + 1])
  local isLatest = record.revision == tonumber(ARGV[1 + count + i])
  results[i] = isLatest and 1 or 0
  if isLatest then rendered[#rendered + 1] = ARGV[1 + i] end
  if isLatest and stored[count + i] == ARGV[1] then released[#released + 1] = KEYS[1 + count + i] end
end
if #rendered > 0 then redis.call('ZREM', KEYS[1], unpack(rendered)) end
if #released > 0 then redis.call('DEL', unpack(released)) end
return results`;

/** The exclusive right to render a record's message, for one job at a time. */
export interface RenderLease extends Pick<Lease, 'renew' | 'release' | 'releaseAfter'> {
  /**
   * Reports that the message shows `revision`. Resolves to true, with the lease released, when that is the latest; to false
   * when the record has changed meanwhile and must be rendered again.
   */
  markRendered(revision: number): Promise<boolean>;
}

/** A record shown by a message. */
interface Shown<Id> {
  readonly ref: AccountRef;
  readonly id: Id;
}

interface Rendered<Id> extends Shown<Id> {
  readonly revision: number;
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

  /** All items of a batch are of one account. */
  const scores = createBatches(([first, ...rest]: readonly [Shown<Id>, ...Shown<Id>[]]) =>
    redis.zmscore(keys.needsRender(first.ref), first.id, ...rest.map(({ id }) => id)),
  );

  const markRendered = createBatches(
    async (all: readonly [Rendered<Id>, ...Rendered<Id>[]]) => {
      const names = [
        keys.needsRender(all[0].ref),
        ...all.map(({ ref, id }) => keys.record(ref, id)),
        ...all.map(({ ref, id }) => keys.lease(ref, id)),
      ];
      const args = [leases.ownerId, ...all.map(({ id }) => id), ...all.map(({ revision }) => revision)];
      const results = await redis.eval(markRenderedScript, names.length, ...names, ...args);
      return (results as number[]).map((result) => result === 1);
    },
    { collectMs },
  );

  return {
    async needsRender(ref: AccountRef, id: Id): Promise<boolean> {
      return (await scores(accountKey(ref), { ref, id })) !== null;
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
          const isDone = await markRendered(accountKey(ref), { ref, id, revision });
          if (isDone) lease.markReleased();
          return isDone;
        },
      };
    },
  };
}
