import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import type { Op } from '../domain/op.ts';
import type { AccountRef } from '../domain/terms.ts';
import { auditKey } from './audit/writer.ts';
import { type Committed, commit as makeCommit } from './commit-script.ts';
import { accountKey } from './keys.ts';
import type { Commit, RecordKind, Versioned } from './record-kind.ts';
import { createRendering } from './rendering.ts';
import { nextVersion, readRecord, readRecords, removeScript, type StoredRecord } from './stored-record.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** Names the index of records whose message does not show their latest revision, scored by the time since when (ms). */
const needsRenderIndex = 'needs-render';

/**
 * Removes a record. KEYS: record, then the sorted sets in which it must not be. ARGV: version, id. Returns 1 or 0.
 */
const forgetScript = `
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
for i = 2, #KEYS do if redis.call('ZSCORE', KEYS[i], ARGV[2]) then return 0 end end
redis.call('DEL', KEYS[1])
return 1`;

/** Writes digests unless they were written since they were read. KEYS: digest. ARGV: id, text as read or '', new text, … */
const recordKnownScript = `
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') == ARGV[i + 1] then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  end
end`;

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
    const sets = [needsRenderIndex, ...kind.indexes].map((set) => setOf(ref, set));
    const digests = (await kind.groups(ref)).map((group) => setOf(ref, `digest:${group}`));
    const keys = [key, ...sets, ...digests];
    await redis.eval(removeScript, keys.length, ...keys, text, id, sets.length);
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
      const sets = [needsRenderIndex, ...kind.indexes].map((set) => setOf(ref, set));
      const keys = [keyOf(ref, id), ...sets];
      return (await redis.eval(forgetScript, keys.length, ...keys, version, id)) === 1;
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
      const entries = [...known].flatMap(([id, text]) => [id, before.get(id) ?? '', text]);
      for (let start = 0; start < entries.length; start += 3_000) {
        await redis.eval(
          recordKnownScript,
          1,
          setOf(ref, `digest:${group}`),
          ...entries.slice(start, start + 3_000),
        );
      }
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
