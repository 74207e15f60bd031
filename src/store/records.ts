import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import type { AccountRef } from '../domain/terms.ts';
import { auditKey } from './audit/writer.ts';
import { createBatches } from './batches.ts';
import { type Committed, commitScript, createCommits } from './commit-script.ts';
import { accountKey } from './keys.ts';
import { readsTogether } from './reads-together.ts';
import { archiveScript } from './record-archive.ts';
import type { Commit, RecordKind, Versioned } from './record-kind.ts';
import { createRendering } from './rendering.ts';
import {
  nextVersion,
  packed,
  readRecords,
  removeScript,
  type StoredRecord,
  unpacked,
} from './stored-record.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** Names the index of records whose message does not show their latest revision, scored by the time since when (ms). */
const needsRenderIndex = 'needs-render';

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
  const indexReads = readsTogether(redis);
  const commits = createCommits(redis);
  const reads = createBatches((keys: readonly string[]) => readRecords(redis, keys));
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

  function bodyOf(value: T): string | Buffer {
    const { compression } = kind;
    return packed(
      kind.codec.encode(value),
      compression?.isAtRest(value) ? compression.dictionary : undefined,
    );
  }

  async function parse(ref: AccountRef, id: Id, { version, body }: StoredRecord): Promise<Versioned<T>> {
    if (body === undefined) return { version, value: undefined };
    const text = unpacked(body, kind.compression?.dictionary);
    const decoded = kind.codec.decode(text ?? '');
    if (decoded.ok) {
      versions.set(decoded.value, version);
      return { version, value: decoded.value };
    }
    await remove(ref, id, body, { text: text ?? body.toString('base64'), reason: decoded.reason });
    return { version, value: undefined };
  }

  async function remove(
    ref: AccountRef,
    id: Id,
    body: Buffer,
    why: { readonly text: string; readonly reason: string },
  ): Promise<void> {
    const key = keyOf(ref, id);
    if (!(await setAside(redis, logger, { kind: kind.codec.name, key, field: 'value', ...why }))) return;
    const sets = [needsRenderIndex, ...kind.indexes].map((set) => setOf(ref, set));
    const digests = (await kind.groups(ref)).map((group) => setOf(ref, `digest:${group}`));
    const keys = [key, ...sets, ...digests];
    const isRemoved = (await redis.eval(removeScript, keys.length, ...keys, body, id, sets.length)) === 1;
    if (isRemoved) await kind.onUnreadable?.(ref);
  }

  /** Searches the digests of some groups for archived values. */
  async function findArchived(
    ref: AccountRef,
    ids: readonly Id[],
    groups: readonly string[],
  ): Promise<Map<Id, Versioned<T>>> {
    const found = new Map<Id, Versioned<T>>();
    if (kind.archive === undefined || ids.length === 0) return found;
    for (const some of chunksOf(groups, 1_000)) {
      const pipeline = redis.pipeline();
      for (const group of some) pipeline.hmget(setOf(ref, `digest:${group}`), ...ids);
      for (const [at, [error, texts]] of ((await pipeline.exec()) ?? []).entries()) {
        if (error) throw error;
        for (const [index, text] of (texts as (string | null)[]).entries()) {
          const [id, group] = [ids[index], some[at]];
          const value = id && group && text ? kind.archive.valueOf(id, group, text) : undefined;
          if (id && text && value !== undefined) found.set(id, { version: 0, value, archived: text });
        }
      }
    }
    return found;
  }

  return {
    async load(ref: AccountRef, id: Id): Promise<Versioned<T>> {
      return parse(ref, id, await reads(accountKey(ref), keyOf(ref, id)));
    },

    /** Returns a value read or written here with the version its record had then; undefined for any other value. */
    asRead(value: T): Versioned<T> | undefined {
      const version = versions.get(value);
      return version === undefined ? undefined : { version, value };
    },

    /** Loads a value, even when it is archived. @param group the group it belongs to, if known */
    async loadAnywhere(ref: AccountRef, id: Id, group?: string): Promise<Versioned<T>> {
      const loaded = await this.load(ref, id);
      if (loaded.version > 0) return loaded;
      return (
        (await findArchived(ref, [id], group === undefined ? await kind.groups(ref) : [group])).get(id) ??
        loaded
      );
    },

    /** Loads many values, including archived ones, in the order asked for. @param group as above, for all of them */
    async loadManyAnywhere(ref: AccountRef, ids: readonly Id[], group?: string): Promise<Versioned<T>[]> {
      const loaded = await this.loadMany(ref, ids);
      const missing = ids.filter((_, index) => loaded[index]?.version === 0);
      if (missing.length === 0) return loaded;
      const found = await findArchived(ref, missing, group === undefined ? await kind.groups(ref) : [group]);
      return loaded.map((one, index) => found.get(ids[index] as Id) ?? one);
    },

    /** Archives a record as it was read, if possible. Resolves to whether it is archived. */
    async archive(ref: AccountRef, id: Id, { version, value }: Versioned<T>): Promise<boolean> {
      const text = value && kind.archive?.textOf(value);
      if (value === undefined || text === undefined) return false;
      const sets = [needsRenderIndex, ...kind.indexes].map((set) => setOf(ref, set));
      const keys = [keyOf(ref, id), setOf(ref, `digest:${kind.digest(value).group}`), ...sets];
      return (await redis.eval(archiveScript, keys.length, ...keys, version, id, text)) === 1;
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
      {
        version,
        archived,
        value: before,
      }: Pick<Versioned<T>, 'version' | 'archived'> & Partial<Versioned<T>>,
      { value, needsRender, audit = '', step }: Commit<T>,
    ): Promise<Committed> {
      const archive = kind.archive && { mark: kind.archive.mark, read: archived !== undefined };
      const { group, text } = kind.digest(value);
      const scores = kind.scores(value);
      const was = before && kind.scores(before);
      const known = before && archived === undefined ? kind.digest(before) : undefined;
      const next = nextVersion(version);
      const committed = await commits(accountKey(ref), {
        script: commitScript(kind.indexes.length, step, archive),
        keys: [
          keyOf(ref, id),
          setOf(ref, `digest:${group}`),
          setOf(ref, needsRenderIndex),
          auditKey(ref),
          ...kind.indexes.map((index) => setOf(ref, index)),
          ...(step?.keys ?? []),
        ],
        args: [
          version,
          id,
          bodyOf(value),
          value.revision,
          needsRender ? now() : '',
          known?.group === group && known.text === text ? '' : text,
          audit,
          ...kind.indexes.map((index) => scores[index] ?? (was && was[index] === undefined ? 'out' : '')),
          archived ?? '',
          ...(step?.args ?? []),
          next,
        ],
        isAlone: step?.guard !== undefined,
      });
      if (committed === 'done') versions.set(value, next);
      return committed;
    },

    /** Returns the digest of a group: record id → text. */
    async digest(ref: AccountRef, group: string): Promise<Map<Id, string>> {
      const texts = await indexReads.hgetall(setOf(ref, `digest:${group}`));
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
        : indexReads.zrangebyscore(key, '-inf', top, 'LIMIT', 0, limit);
      return idList.parse(await found);
    },

    async count(ref: AccountRef, index: Index): Promise<number> {
      return indexReads.zcard(setOf(ref, index));
    },

    /** Returns the lowest score in an index, or undefined when it is empty. */
    async lowest(ref: AccountRef, index: Index): Promise<number | undefined> {
      const [, score] = await indexReads.zrange(setOf(ref, index), '0', '0', 'WITHSCORES');
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
