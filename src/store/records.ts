import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import type { Op } from '../domain/op.ts';
import type { AccountRef } from '../domain/terms.ts';
import { auditKey } from './audit/writer.ts';
import { changeIf } from './change.ts';
import { type Committed, commit as makeCommit } from './commit-script.ts';
import { accountKey } from './keys.ts';
import type { Commit, RecordKind, Versioned } from './record-kind.ts';
import { createRendering } from './rendering.ts';
import { swapField } from './stored-hash.ts';
import { nextVersion, readRecord, readRecords, type StoredRecord } from './stored-record.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** Names the index of records whose message does not show their latest revision, scored by the time since when (ms). */
const needsRenderIndex = 'needs-render';

/**
 * Creates the versioned records of one kind (tasks, announcements, summaries): compare-and-set writes, sorted sets as
 * indexes, and the index of records whose message does not show their latest revision.
 */
export function createRecords<
  T extends { readonly revision: number },
  Index extends string,
  Id extends string,
>(redis: Redis, kind: RecordKind<T, Index, Id>, logger?: ErrorLogger, now: () => number = Date.now) {
  /** The versions of values that were read or written here and have a record. */
  const versions = new WeakMap<T, number>();
  const idList = z.array(kind.id);
  const keyOf = (ref: AccountRef, id: Id) => accountKey(ref, kind.name, id);
  const setOf = (ref: AccountRef, set: string) => accountKey(ref, `${kind.name}s`, set);
  const setsOf = (ref: AccountRef) => [needsRenderIndex, ...kind.indexes].map((set) => setOf(ref, set));
  const rendering = createRendering<Id>(redis, {
    record: keyOf,
    lease: (ref, id) => accountKey(ref, kind.name, id, 'render-lease'),
    needsRender: (ref) => setOf(ref, needsRenderIndex),
  });

  async function parse(ref: AccountRef, id: Id, { version, text }: StoredRecord): Promise<Versioned<T>> {
    if (text === undefined) return { version, value: undefined };
    const decoded = kind.codec.decode(text);
    if (decoded.ok) {
      versions.set(decoded.value, version);
      return { version, value: decoded.value };
    }
    await remove(ref, id, text, decoded.reason);
    return { version, value: undefined };
  }

  /**
   * Removes a record that cannot be read, with its index entries: it is unknown from then on, and created again when its task
   * is next seen. Its version stays, so that a commit in progress is not mistaken for the first one.
   */
  async function remove(ref: AccountRef, id: Id, text: string, reason: string): Promise<void> {
    const key = keyOf(ref, id);
    const isKept = await setAside(redis, logger, {
      kind: kind.codec.name,
      key,
      field: 'value',
      text,
      reason,
    });
    if (!isKept) return;
    const digests = (await kind.groups(ref)).map((group) => setOf(ref, `digest:${group}`));
    await changeIf(
      redis,
      [[text, 'HGET', key, 'value']],
      [
        ['HDEL', key, 'value', 'revision'],
        ...setsOf(ref).map((set) => ['ZREM', set, id] as const),
        ...digests.map((digest) => ['HDEL', digest, id] as const),
      ],
    );
  }

  return {
    async load(ref: AccountRef, id: Id): Promise<Versioned<T>> {
      return parse(ref, id, await readRecord(redis, keyOf(ref, id)));
    },

    /** Returns a value read or written here with the version its record had then; undefined for any other value. */
    asRead(value: T): Versioned<T> | undefined {
      const version = versions.get(value);
      return version === undefined ? undefined : { version, value };
    },

    /**
     * Removes a record as it was read, unless it has changed since, is in an index or must be rendered; its digest stays.
     * Resolves to whether it is removed.
     */
    async forget(ref: AccountRef, id: Id, { version }: Versioned<T>): Promise<boolean> {
      const key = keyOf(ref, id);
      const inNone = setsOf(ref).map((set) => ['', 'ZSCORE', set, id] as const);
      return changeIf(redis, [[String(version), 'HGET', key, 'version'], ...inNone], [['DEL', key]]);
    },

    /** Loads many at once, in the order asked for. */
    async loadMany(ref: AccountRef, ids: readonly Id[]): Promise<Versioned<T>[]> {
      const stored = await readRecords(
        redis,
        ids.map((id) => keyOf(ref, id)),
      );
      return Promise.all(ids.map((id, index) => parse(ref, id, stored[index] ?? { version: 0 })));
    },

    /** Writes a record that was read as `version`. Resolves to false when it was written by somebody else meanwhile. */
    async commit(ref: AccountRef, id: Id, version: number, commit: Commit<T>): Promise<boolean> {
      return (await this.commitGuarded(ref, id, { version }, commit)) === 'done';
    },

    /** Like `commit`, but resolves to the result of the commit. */
    async commitGuarded(
      ref: AccountRef,
      id: Id,
      { version, value: before }: { readonly version: number; readonly value?: T | undefined },
      { value, needsRender, audit, ops = [], room }: Commit<T>,
    ): Promise<Committed> {
      const { group, text } = kind.digest(value);
      const known = before && kind.digest(before);
      const [was, scores] = [before && kind.scores(before), kind.scores(value)];
      const indexed = kind.indexes.flatMap((index): Op[] => {
        const [key, score] = [setOf(ref, index), scores[index]];
        if (score !== undefined)
          return was?.[index] === score ? [] : [{ run: 'ZADD', key, args: [score, id] }];
        return was?.[index] === undefined ? [] : [{ run: 'ZREM', key, args: [id] }];
      });
      const next = nextVersion(version);
      const committed = await makeCommit(redis, {
        key: keyOf(ref, id),
        version,
        next,
        value: kind.codec.encode(value),
        revision: value.revision,
        room,
        ops: [
          ...(known?.group === group && known.text === text
            ? []
            : [{ run: 'HSET', key: setOf(ref, `digest:${group}`), args: [id, text] } satisfies Op]),
          ...(needsRender
            ? [{ run: 'ZADD', key: setOf(ref, needsRenderIndex), args: [now(), id] } satisfies Op]
            : []),
          ...indexed,
          ...ops.map((op) => ({
            ...op,
            key: accountKey(ref, op.key),
            ...(op.other === undefined ? {} : { other: accountKey(ref, op.other) }),
          })),
          ...(audit === undefined
            ? []
            : [{ run: 'XADD', key: auditKey(ref), args: ['*', 'entry', audit] } satisfies Op]),
        ],
      });
      if (committed === 'done') versions.set(value, next);
      return committed;
    },

    /** Returns the digest of a group: record id → text. */
    async digest(ref: AccountRef, group: string): Promise<Map<Id, string>> {
      const texts = await redis.hgetall(setOf(ref, `digest:${group}`));
      return new Map(Object.entries(texts).map(([id, text]) => [z.parse(kind.id, id), text]));
    },

    /** Returns the digests of some records of a group, in the order asked for; null where there is none. */
    async digestsOf(ref: AccountRef, group: string, ids: readonly Id[]): Promise<(string | null)[]> {
      const found: (string | null)[] = [];
      for (const some of chunksOf(ids, 1_000))
        found.push(...(await redis.hmget(setOf(ref, `digest:${group}`), ...some)));
      return found;
    },

    /**
     * Stores the digests of records that are not stored in full. Digests that somebody else has written since `before` was
     * read stay unchanged.
     */
    async recordKnown(
      ref: AccountRef,
      group: string,
      known: ReadonlyMap<Id, string>,
      before: ReadonlyMap<Id, string>,
    ): Promise<void> {
      const key = setOf(ref, `digest:${group}`);
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

    async count(ref: AccountRef, index: Index): Promise<number> {
      return redis.zcard(setOf(ref, index));
    },

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

    ...rendering,
  };
}
