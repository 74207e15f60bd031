/**
 * A record is a hash: `version` (a random number after each write, for compare-and-set), `revision` (for the record's
 * message), `value` (JSON; absent once it was removed), and `find` (the record's terms in the index of find, see find.ts).
 */

import { randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/collections.ts';
import type { Op } from '../domain/index-changes.ts';
import type { AccountRef } from '../domain/terms.ts';
import { accountKey, type Codec } from './format.ts';
import { createLeases, type Lease } from './leases.ts';
import { changeIf, scriptIn } from './scripts.ts';
import { type ErrorLogger, setAside, swapField } from './stored-hash.ts';

const runCommit = scriptIn('commit');

/** The result of a commit: `outdated` when somebody else wrote the record meanwhile, `refused` when the set is full. */
type Committed = 'done' | 'outdated' | 'refused';

const results: readonly Committed[] = ['outdated', 'done', 'refused'];

/** A set that must have fewer members than a limit. */
export interface SizeLimit {
  readonly key: string;
  readonly limit: number;
}

/**
 * Writes a record with everything that its change touches, if nobody has written it since it was read: all of it, or
 * nothing. Keys are those of an account, without its prefix.
 * @param record its version as read, and the next one
 */
export async function commit(
  redis: Redis,
  ref: AccountRef,
  record: {
    readonly key: string;
    readonly version: number;
    readonly next: number;
    readonly value: string;
    readonly revision: number;
  },
  ops: readonly Op[],
  sizeLimit?: SizeLimit,
): Promise<Committed> {
  const keys = [record.key];
  const numberOf = (key: string | undefined): number => {
    if (key === undefined) return 0;
    const at = keys.indexOf(key, 1);
    return at > 0 ? at + 1 : keys.push(key);
  };
  const guarded = numberOf(sizeLimit?.key);
  const numbered = ops.map(({ run, key, other, args }) => [
    run,
    numberOf(key),
    numberOf(other),
    ...args.map(String),
  ]);
  const { version, next, value, revision } = record;
  const answer = await runCommit(
    redis,
    keys.map((key) => accountKey(ref, key)),
    [version, next, value, revision, guarded, sizeLimit?.limit ?? 0, JSON.stringify(numbered)],
  );
  return results[Number(answer)] ?? 'outdated';
}

/** A record as read, with the version that a commit must still find. */
export interface Versioned<T> {
  /**
   * 0: there is no record. Not a counter: in an older copy of the data, a counter would reach a number that somebody has
   * read before, who would then overwrite everything since.
   */
  readonly version: number;
  readonly value: T | undefined;
}

/** Returns the next version of a record, a 32-bit number: see {@link Versioned.version}. */
function nextVersion(version: number): number {
  const next = randomInt(1, 2 ** 32 - 1);
  return next < version ? next : next + 1;
}

/** Most records read at once. */
const mostAtOnce = 500;

export interface RecordKind<
  T extends { readonly revision: number },
  Index extends string,
  Id extends string,
> {
  /** Its name is part of the key, such as `task`. */
  readonly codec: Codec<T>;
  readonly id: z.core.$ZodType<Id>;
  /** An account's sorted sets of such records, with the score of a record; undefined keeps it out of the set. */
  readonly indexes: Readonly<Record<Index, (value: T) => number | undefined>>;
  /** A letter or word per record, stored in one hash per group, so that thousands are compared at once. */
  readonly labels?: {
    readonly of: (value: T) => { readonly group: string; readonly text: string };
    /** Returns every group of an account: its labels may name a record that cannot be read. */
    readonly groups: (ref: AccountRef) => Promise<readonly string[]>;
  };
}

/** A change of a record, and what is written with it. */
export interface Write<T> {
  readonly value: T;
  /** Whether the message must be rendered (again). */
  readonly needsRender: boolean;
  /** The text of an entry for the account's audit trail. */
  readonly audit: string | undefined;
  /** What else is written in the same step, on keys of the account. */
  readonly ops?: readonly Op[];
  readonly sizeLimit?: SizeLimit | undefined;
}

/** The exclusive right to render a record's message, for one job at a time. */
export interface RenderLease extends Pick<Lease, 'renew' | 'release' | 'releaseAfter'> {
  /**
   * Reports that the message shows `revision`. Resolves to true, with the lease released, when that is the latest; to false
   * when the record has changed meanwhile and must be rendered again.
   */
  markRendered(revision: number): Promise<boolean>;
}

/** Names the index of records whose message does not show their latest revision, scored by the time since when (ms). */
const needsRenderIndex = 'needs-render';

/**
 * Creates the versioned records of one kind (tasks, announcements, summaries): compare-and-set writes, sorted sets as
 * indexes, the index of records whose message does not show their latest revision, and who may render one.
 */
export function createRecords<
  T extends { readonly revision: number },
  Index extends string,
  Id extends string,
>(
  redis: Redis,
  { codec, id: idSchema, indexes, labels }: RecordKind<T, Index, Id>,
  logger?: ErrorLogger,
  now: () => number = Date.now,
) {
  const { name } = codec;
  const leases = createLeases(redis);
  const idList = z.array(idSchema);
  const names = Object.keys(indexes) as Index[];

  const keyOf = (ref: AccountRef, id: Id) => accountKey(ref, name, id);
  const leaseOf = (ref: AccountRef, id: Id) => accountKey(ref, name, id, 'render-lease');
  const setName = (set: string) => `${name}s:${set}`;
  const setOf = (ref: AccountRef, set: string) => accountKey(ref, setName(set));
  const labelsOf = (group: string) => setName(`labels:${group}`);
  const setsOf = (ref: AccountRef) => [needsRenderIndex, ...names].map((set) => setOf(ref, set));

  /**
   * Removes a record that cannot be read, with its index entries: it is unknown from then on, and created again when its task
   * is next seen. Its version stays, so that a commit in progress is not mistaken for the first one.
   */
  async function remove(ref: AccountRef, id: Id, text: string, reason: string): Promise<void> {
    const key = keyOf(ref, id);
    if (!(await setAside(redis, logger, { kind: codec.name, key, field: 'value', text, reason }))) return;
    const groups = (await labels?.groups(ref)) ?? [];
    await changeIf(
      redis,
      [[text, 'HGET', key, 'value']],
      [
        ['HDEL', key, 'value', 'revision'],
        ...setsOf(ref).map((set) => ['ZREM', set, id] as const),
        ...groups.map((group) => ['HDEL', accountKey(ref, labelsOf(group)), id] as const),
      ],
    );
  }

  async function load(ref: AccountRef, id: Id): Promise<Versioned<T>> {
    const [found, text] = await redis.hmget(keyOf(ref, id), 'version', 'value');
    const version = Number(found ?? 0);
    if (text == null) return { version, value: undefined };
    const decoded = codec.decode(text);
    if (decoded.ok) return { version, value: decoded.value };
    await remove(ref, id, text, decoded.reason);
    return { version, value: undefined };
  }

  return {
    load,

    /**
     * Removes a record as it was read, unless it has changed since, is in an index or must be rendered; its label stays.
     * Resolves to whether it is removed.
     */
    async forget(ref: AccountRef, id: Id, { version }: Versioned<T>): Promise<boolean> {
      const key = keyOf(ref, id);
      const inNone = setsOf(ref).map((set) => ['', 'ZSCORE', set, id] as const);
      return changeIf(redis, [[String(version), 'HGET', key, 'version'], ...inNone], [['DEL', key]]);
    },

    /** Loads many at once, in the order asked for. */
    async loadMany(ref: AccountRef, ids: readonly Id[]): Promise<Versioned<T>[]> {
      const loaded: Versioned<T>[] = [];
      for (const some of chunksOf(ids, mostAtOnce))
        loaded.push(...(await Promise.all(some.map((id) => load(ref, id)))));
      return loaded;
    },

    /** Writes a record as it was read. */
    async commit(
      ref: AccountRef,
      id: Id,
      { version, value: before }: Versioned<T>,
      { value, needsRender, audit, ops = [], sizeLimit }: Write<T>,
    ): Promise<Committed> {
      const next = nextVersion(version);
      const record = { key: `${name}:${id}`, version, next, value: codec.encode(value) };
      const [was, label] = [before && labels?.of(before), labels?.of(value)];
      const all: Op[] = [];
      if (label && (was?.group !== label.group || was.text !== label.text))
        all.push({ run: 'HSET', key: labelsOf(label.group), args: [id, label.text] });
      if (needsRender) all.push({ run: 'ZADD', key: setName(needsRenderIndex), args: [now(), id] });
      for (const index of names) {
        const [from, to] = [before && indexes[index](before), indexes[index](value)];
        if (to === undefined && from !== undefined)
          all.push({ run: 'ZREM', key: setName(index), args: [id] });
        if (to !== undefined && to !== from) all.push({ run: 'ZADD', key: setName(index), args: [to, id] });
      }
      all.push(...ops);
      if (audit !== undefined) all.push({ run: 'XADD', key: 'audit', args: ['*', 'entry', audit] });
      return commit(redis, ref, { ...record, revision: value.revision }, all, sizeLimit);
    },

    /** Returns the labels of a group: record id → text. */
    async labels(ref: AccountRef, group: string): Promise<Map<Id, string>> {
      const texts = await redis.hgetall(accountKey(ref, labelsOf(group)));
      return new Map(Object.entries(texts).map(([id, text]) => [z.parse(idSchema, id), text]));
    },

    /** Returns the labels of some records of a group, in the order asked for; null where there is none. */
    async labelsOf(ref: AccountRef, group: string, ids: readonly Id[]): Promise<(string | null)[]> {
      const found: (string | null)[] = [];
      for (const some of chunksOf(ids, 1_000))
        found.push(...(await redis.hmget(accountKey(ref, labelsOf(group)), ...some)));
      return found;
    },

    /**
     * Stores the labels of records that are not stored in full. Labels that somebody else has written since `before` was read
     * stay unchanged.
     */
    async recordKnown(
      ref: AccountRef,
      group: string,
      known: ReadonlyMap<Id, string>,
      before: ReadonlyMap<Id, string>,
    ): Promise<void> {
      const key = accountKey(ref, labelsOf(group));
      const write = ([id, text]: readonly [Id, string]): Promise<unknown> => {
        const was = before.get(id);
        return was === undefined ? redis.hsetnx(key, id, text) : swapField(redis, key, id, was, text);
      };
      for (const some of chunksOf([...known], 1_000)) await Promise.all(some.map(write));
    },

    /** Returns the ids in an index with scores up to `until`, lowest first (`newest`: highest first), at most `limit`. */
    async find(
      ref: AccountRef,
      index: Index | typeof needsRenderIndex,
      { until = Number.POSITIVE_INFINITY, limit = 1_000, newest = false } = {},
    ): Promise<Id[]> {
      const key = setOf(ref, index);
      const top = Number.isFinite(until) ? until : '+inf';
      const found = newest
        ? redis.zrevrangebyscore(key, top, '-inf', 'LIMIT', 0, limit)
        : redis.zrangebyscore(key, '-inf', top, 'LIMIT', 0, limit);
      return idList.parse(await found);
    },

    /** Returns how many records are in an index, with scores up to `until`. */
    count: (ref: AccountRef, index: Index | typeof needsRenderIndex, until = Number.POSITIVE_INFINITY) =>
      redis.zcount(setOf(ref, index), '-inf', Number.isFinite(until) ? until : '+inf'),

    /** Returns the lowest score in an index, or undefined when it is empty. */
    async lowest(ref: AccountRef, index: Index): Promise<number | undefined> {
      const [, score] = await redis.zrange(setOf(ref, index), '0', '0', 'WITHSCORES');
      return score === undefined ? undefined : Number(score);
    },

    /** Returns the scores of records in an index; records not in it are omitted. */
    async scores(ref: AccountRef, index: Index, ids: readonly Id[]): Promise<Map<Id, number>> {
      const found = new Map<Id, number>();
      for (const some of chunksOf(ids, 1_000)) {
        const scores = await redis.zmscore(setOf(ref, index), ...some);
        for (const [at, id] of some.entries()) {
          const score = scores[at];
          if (score != null) found.set(id, Number(score));
        }
      }
      return found;
    },

    async needsRender(ref: AccountRef, id: Id): Promise<boolean> {
      return (await redis.zscore(setOf(ref, needsRenderIndex), id)) !== null;
    },

    /** Queues messages to be rendered again although their records have not changed. */
    async markNeedsRender(ref: AccountRef, ids: readonly Id[]): Promise<void> {
      for (const some of chunksOf(ids, 1_000))
        await redis.zadd(setOf(ref, needsRenderIndex), 'NX', ...some.flatMap((id) => [0, id]));
    },

    /** Leaves the record's message unchanged until the record changes again. */
    async clearNeedsRender(ref: AccountRef, id: Id): Promise<void> {
      await redis.zrem(setOf(ref, needsRenderIndex), id);
    },

    /**
     * Acquires the right to render a record's message; undefined when another job has it. The lease of a dead process
     * expires `ttlMs` after its last renewal.
     */
    async acquireRenderLease(ref: AccountRef, id: Id, ttlMs: number): Promise<RenderLease | undefined> {
      const lease = await leases.acquire(leaseOf(ref, id), ttlMs);
      if (lease === undefined) return undefined;
      const { renew, release, releaseAfter } = lease;
      return {
        renew,
        release,
        releaseAfter,
        async markRendered(revision) {
          const isLatest = [String(revision), 'HGET', keyOf(ref, id), 'revision'] as const;
          const isOwn = [leases.ownerId, 'GET', leaseOf(ref, id)] as const;
          const done = ['ZREM', setOf(ref, needsRenderIndex), id] as const;
          // In one step: a job that finds the lease taken relies on its holder to render what has changed since. Without
          // the lease, which has expired, there is none to release.
          const isDone =
            (await changeIf(redis, [isLatest, isOwn], [done, ['DEL', leaseOf(ref, id)]])) ||
            (await changeIf(redis, [isLatest], [done]));
          if (isDone) lease.markReleased();
          return isDone;
        },
      };
    },
  };
}
