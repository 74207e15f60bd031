import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { Codec } from './codec.ts';
import { accountKey } from './keys.ts';
import { createLeases, type Lease } from './leases.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/** A record as read: its value and the version that a later commit must still find. */
export interface Versioned<T> {
  readonly version: number;
  readonly value: T | undefined;
}

/** What a record's value says about the sets that find it again: a score, or undefined for "not in it". */
export type Scores<Index extends string> = Readonly<Record<Index, number | undefined>>;

export interface RecordKind<
  T extends { readonly revision: number },
  Index extends string,
  Id extends string,
> {
  /** Part of the key, such as `task`. */
  readonly name: string;
  readonly codec: Codec<T>;
  readonly id: z.core.$ZodType<Id>;
  /** The sorted sets of an account in which such records are found. */
  readonly indexes: readonly Index[];
  readonly scores: (value: T) => Scores<Index>;
  /** One letter or word per record in a hash, to compare thousands at once; which hash, and the text. */
  readonly digest: (value: T) => { readonly group: string; readonly text: string };
  /** Every group of an account: where a record that cannot be read may be noted. */
  readonly groups: (ref: AccountRef) => Promise<readonly string[]>;
  /** Called after a record that could not be read was removed. */
  readonly onUnreadable?: (ref: AccountRef) => Promise<unknown>;
}

/**
 * Writes a record, its indexes, its digest and an audit entry in one step, if nobody wrote it since it was read.
 * KEYS: record, digest, stale, audit, then one per index. ARGV: version, id, value, face, whether it is stale now (time
 * or ''), digest text, audit entry or '', then one score or '' per index. Gives 1, or 0 when the version has moved on.
 */
const commitScript = `
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'value', ARGV[3], 'face', ARGV[4])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[6])
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[3], ARGV[5], ARGV[2]) end
if ARGV[7] ~= '' then redis.call('XADD', KEYS[4], '*', 'entry', ARGV[7]) end
for i = 5, #KEYS do
  local score = ARGV[i + 3]
  if score == '' then redis.call('ZREM', KEYS[i], ARGV[2]) else redis.call('ZADD', KEYS[i], score, ARGV[2]) end
end
return 1`;

/**
 * Removes a record that cannot be read, and all that finds it: it is unknown from then on, and made anew when it is next
 * seen. Its version stays, so that no commit that is under way passes for a first one.
 * KEYS: record, then the sorted sets, then the digests. ARGV: text, id, how many sorted sets there are.
 */
const removeScript = `
if redis.call('HGET', KEYS[1], 'value') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'value', 'face')
for i = 2, #KEYS do
  redis.call(i <= ARGV[3] + 1 and 'ZREM' or 'HDEL', KEYS[i], ARGV[2])
end
return 1`;

/**
 * The face was drawn: when it is still the record's face, it is stale no more and the drawer lets go of it; otherwise
 * it must draw again. KEYS: record, stale, drawer. ARGV: face, id, token.
 */
const drawnScript = `
if redis.call('HGET', KEYS[1], 'face') ~= ARGV[1] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[2])
if redis.call('GET', KEYS[3]) == ARGV[3] then redis.call('DEL', KEYS[3]) end
return 1`;

/** KEYS: digest. ARGV: id, what it was when it was read ('' for nothing), text, and so on. Notes what nobody wrote since. */
const noteScript = `
for i = 1, #ARGV, 3 do
  if (redis.call('HGET', KEYS[1], ARGV[i]) or '') == ARGV[i + 1] then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
  end
end`;

/** The right to draw a record's card, held by one job at a time. */
export interface RenderLease extends Pick<Lease, 'renew' | 'release' | 'releaseAfter'> {
  /** The card shows `face` now. True: done and let go; false: the record has changed meanwhile, draw again. */
  markRendered(face: number): Promise<boolean>;
}

export interface Commit<T> {
  readonly value: T;
  /** The card must be drawn (again). */
  readonly needsRender: boolean;
  /** An entry for the account's audit trail, as JSON. */
  readonly audit?: string;
}

/**
 * Versioned records of an account (tasks, announcements): compare-and-set writes, sorted sets to find them by, and the
 * `stale` set of those whose card no longer shows what they say.
 */
export function createRecords<
  T extends { readonly revision: number },
  Index extends string,
  Id extends string,
>(redis: Redis, kind: RecordKind<T, Index, Id>, logger?: ErrorLogger) {
  const holds = createLeases(redis);
  const idList = z.array(kind.id);
  const keyOf = (ref: AccountRef, id: Id) => accountKey(ref, kind.name, id);
  const setOf = (ref: AccountRef, set: string) => accountKey(ref, `${kind.name}s`, set);
  const drawerOf = (ref: AccountRef, id: Id) => accountKey(ref, kind.name, id, 'drawer');

  async function parse(ref: AccountRef, id: Id, fields: readonly (string | null)[]): Promise<Versioned<T>> {
    const [storedVersion, text] = fields;
    const version = Number(storedVersion ?? 0);
    if (text == null) return { version, value: undefined };
    const decoded = kind.codec.decode(text);
    if (decoded.ok) return { version, value: decoded.value };
    await remove(ref, id, text, decoded.reason);
    return { version, value: undefined };
  }

  async function remove(ref: AccountRef, id: Id, text: string, reason: string): Promise<void> {
    const key = keyOf(ref, id);
    if (!(await setAside(redis, logger, { kind: kind.codec.name, key, field: 'value', reason, text })))
      return;
    const sets = ['stale', ...kind.indexes].map((set) => setOf(ref, set));
    const digests = (await kind.groups(ref)).map((group) => setOf(ref, `digest:${group}`));
    const keys = [key, ...sets, ...digests];
    const isRemoved = (await redis.eval(removeScript, keys.length, ...keys, text, id, sets.length)) === 1;
    if (isRemoved) await kind.onUnreadable?.(ref);
  }

  return {
    async load(ref: AccountRef, id: Id): Promise<Versioned<T>> {
      return parse(ref, id, await redis.hmget(keyOf(ref, id), 'version', 'value'));
    },

    /** Many at once, in the order asked for. */
    async loadMany(ref: AccountRef, ids: readonly Id[]): Promise<Versioned<T>[]> {
      const pipeline = redis.pipeline();
      for (const id of ids) pipeline.hmget(keyOf(ref, id), 'version', 'value');
      const answers = (await pipeline.exec()) ?? [];
      return Promise.all(
        ids.map((id, index) => {
          const [error, fields] = answers[index] ?? [];
          if (error) throw error;
          return parse(ref, id, fields as (string | null)[]);
        }),
      );
    },

    /** Writes what came of the record read as `version`. Gives false when somebody else wrote it meanwhile. */
    async commit(ref: AccountRef, id: Id, version: number, commit: Commit<T>): Promise<boolean> {
      const { group, text } = kind.digest(commit.value);
      const scores = kind.scores(commit.value);
      const keys = [
        keyOf(ref, id),
        setOf(ref, `digest:${group}`),
        setOf(ref, 'stale'),
        accountKey(ref, 'audit'),
        ...kind.indexes.map((index) => setOf(ref, index)),
      ];
      const done = await redis.eval(
        commitScript,
        keys.length,
        ...keys,
        version,
        id,
        kind.codec.encode(commit.value),
        commit.value.revision,
        commit.needsRender ? Date.now() : '',
        text,
        commit.audit ?? '',
        ...kind.indexes.map((index) => scores[index] ?? ''),
      );
      return done === 1;
    },

    /** The digest of a group: record id → text. */
    async digest(ref: AccountRef, group: string): Promise<Map<Id, string>> {
      const texts = await redis.hgetall(setOf(ref, `digest:${group}`));
      return new Map(Object.entries(texts).map(([id, text]) => [z.parse(kind.id, id), text]));
    },

    /**
     * Notes records that are known without being kept in full. One that somebody else noted or made since `before` was
     * read is left as it is.
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
          noteScript,
          1,
          setOf(ref, `digest:${group}`),
          ...entries.slice(start, start + 3_000),
        );
      }
    },

    /** Ids in an index, lowest score first (`newest`: highest first), with a score up to `until`, at most `limit`. */
    async find(
      ref: AccountRef,
      index: Index | 'stale',
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

    /** The lowest score in an index, or undefined when it is empty. */
    async lowest(ref: AccountRef, index: Index): Promise<number | undefined> {
      const [, score] = await redis.zrange(setOf(ref, index), '0', '0', 'WITHSCORES');
      return score === undefined ? undefined : Number(score);
    },

    /** The scores that some records have in an index; those that are not in it are left out. */
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

    /** The record's card is left as it is until something changes. */
    async clearNeedsRender(ref: AccountRef, id: Id): Promise<void> {
      await redis.zrem(setOf(ref, 'stale'), id);
    },

    async needsRender(ref: AccountRef, id: Id): Promise<boolean> {
      return (await redis.zscore(setOf(ref, 'stale'), id)) !== null;
    },

    /**
     * Takes the right to draw a record's card; undefined when it is drawn now. A process that died while drawing keeps
     * others waiting for `ttlMs` after its last sign of life.
     */
    async acquireRenderLease(ref: AccountRef, id: Id, ttlMs: number): Promise<RenderLease | undefined> {
      const hold = await holds.acquire(drawerOf(ref, id), ttlMs);
      if (hold === undefined) return undefined;
      return {
        renew: hold.renew,
        release: hold.release,
        releaseAfter: hold.releaseAfter,
        async markRendered(face) {
          const keys = [keyOf(ref, id), setOf(ref, 'stale'), drawerOf(ref, id)];
          const isDone = (await redis.eval(drawnScript, 3, ...keys, face, id, holds.holder)) === 1;
          if (isDone) hold.markReleased();
          return isDone;
        },
      };
    },
  };
}
