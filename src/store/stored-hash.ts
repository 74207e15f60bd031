import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AuditStep } from './audit.ts';
import { type Codec, newerVersion, unreadableKey } from './format.ts';
import { type Command, change, changeIf } from './scripts.ts';

/** Most values that are set aside, and how long they are kept after the latest of them (s). */
const maxUnreadable = 1_000;
const unreadableSeconds = 30 * 86_400;

/** A stored value that no version of its codec can decode, and its location. */
export interface UnreadableValue {
  /** Kind of value: the name of its codec. */
  readonly kind: string;
  readonly key: string;
  /** The field of a hash, or the id of an entry of a stream. */
  readonly field?: string;
  readonly reason: string;
  readonly text: string;
}

export interface ErrorLogger {
  error(fields: object, text: string): void;
}

/**
 * Copies an unreadable value to where a person can inspect it, and logs it once, without its text. The caller then removes
 * the value from its original place; if the process ends in between, the next read does so. Resolves to false when too many
 * values are already set aside; the value must then stay in its original place. Throws for a value of a newer version.
 */
export async function setAside(redis: Redis, logger: ErrorLogger | undefined, value: UnreadableValue) {
  if (value.reason === newerVersion)
    throw new Error(`a newer version of Proofdesk has stored this ${value.kind}: start that version`);
  const { text, ...about } = value;
  const id = createHash('sha256')
    .update(`${value.key}\0${value.field ?? ''}\0${text}`)
    .digest('hex');
  const entry = JSON.stringify({ ...value, at: Date.now() });
  if (await redis.hexists(unreadableKey, id)) return true;
  if ((await redis.hlen(unreadableKey)) >= maxUnreadable) return false;
  const isNew = (await redis.hsetnx(unreadableKey, id, entry)) === 1;
  await redis.expire(unreadableKey, unreadableSeconds);
  if (isNew) logger?.error({ event: 'stored-value-unreadable', ...about }, 'unreadable value set aside');
  return true;
}

/** Removes values that were set aside before a time (ms): nobody knows whose data they contain. Returns how many. */
export async function removeUnreadable(redis: Redis, before: number): Promise<number> {
  const all = Object.entries(await redis.hgetall(unreadableKey));
  const old = all.filter(([, text]) => (setAsideAt(text) ?? 0) < before).map(([id]) => id);
  return old.length === 0 ? 0 : redis.hdel(unreadableKey, ...old);
}

function setAsideAt(text: string): number | undefined {
  try {
    return z.object({ at: z.number() }).parse(JSON.parse(text)).at;
  } catch {
    return undefined;
  }
}

/** Counts the values that were set aside. */
export async function countUnreadable(redis: Redis): Promise<number> {
  return redis.hlen(unreadableKey);
}

/**
 * Replaces one text by another, '' standing for none. Resolves to false when the field has changed meanwhile.
 * @param step an audit entry that is added with it
 * @param seconds after which the hash is removed, unless it is changed again
 */
export async function swapField(
  redis: Redis,
  key: string,
  field: string,
  before: string,
  after: string,
  step?: AuditStep,
  seconds?: number,
): Promise<boolean> {
  const commands: Command[] = [after === '' ? ['HDEL', key, field] : ['HSET', key, field, after]];
  if (seconds !== undefined) commands.push(['EXPIRE', key, seconds]);
  return changeIf(redis, [[before, 'HGET', key, field]], commands, step);
}

/**
 * Reads and writes hashes in Redis whose fields hold values of one kind. A value that cannot be read is set aside and
 * counts as absent.
 * @param key returns the key of the hash of an account, a workspace or the like
 */
export function createStoredHash<T, Field extends string, Scope>(
  redis: Redis,
  {
    codec,
    field: fieldSchema,
    key: keyOf,
    seconds,
  }: {
    readonly codec: Codec<T>;
    readonly field: z.core.$ZodType<Field>;
    readonly key: (scope: Scope) => string;
    /** A hash is removed this long after its last change (s). */
    readonly seconds?: number;
  },
  logger?: ErrorLogger,
) {
  const swapText = (key: string, field: string, text: string, after: T | undefined, step?: AuditStep) =>
    swapField(redis, key, field, text, after === undefined ? '' : codec.encode(after), step, seconds);

  /** Returns a value and its text in Redis, '' for none. */
  async function read(key: string, field: string, text: string | null | undefined) {
    if (text == null) return { value: undefined, text: '' };
    const decoded = codec.decode(text);
    if (decoded.ok) return { value: decoded.value, text };
    const { reason } = decoded;
    const isSetAside = await setAside(redis, logger, { kind: codec.name, key, field, reason, text });
    if (isSetAside) await swapText(key, field, text, undefined);
    return { value: undefined, text: isSetAside ? '' : text };
  }

  const load = async (key: string, field: string) => read(key, field, await redis.hget(key, field));

  /** Returns the readable values by their fields. */
  async function readMany(key: string, texts: readonly (readonly [string, string | null | undefined])[]) {
    const found = new Map<Field, T>();
    await Promise.all(
      texts.map(async ([field, text]) => {
        const { value } = await read(key, field, text);
        if (value !== undefined) found.set(z.parse(fieldSchema, field), value);
      }),
    );
    return found;
  }

  return {
    async get(scope: Scope, field: Field): Promise<T | undefined> {
      return (await load(keyOf(scope), field)).value;
    },

    /** Returns the readable ones among several fields. */
    async getMany(scope: Scope, fields: readonly Field[]): Promise<Map<Field, T>> {
      if (fields.length === 0) return new Map();
      const texts = await redis.hmget(keyOf(scope), ...fields);
      return readMany(
        keyOf(scope),
        fields.map((field, index) => [field, texts[index]]),
      );
    },

    /** Returns every readable value by its field. */
    async all(scope: Scope): Promise<Map<Field, T>> {
      return readMany(keyOf(scope), Object.entries(await redis.hgetall(keyOf(scope))));
    },

    /** Writes a value whatever was there. */
    async set(scope: Scope, field: Field, value: T): Promise<void> {
      await redis.hset(keyOf(scope), field, codec.encode(value));
    },

    /** Removes a value whatever it is. */
    async remove(scope: Scope, field: Field): Promise<void> {
      await redis.hdel(keyOf(scope), field);
    },

    /**
     * Replaces `before`, as it was read, by `after`; undefined stands for no value. Resolves to false when the value has
     * changed since it was read.
     * @param step an audit entry that is added with it
     */
    async replace(
      scope: Scope,
      field: Field,
      before: T | undefined,
      after: T | undefined,
      step?: AuditStep,
    ): Promise<boolean> {
      // Values are compared, not their texts.
      const { value, text } = await load(keyOf(scope), field);
      return isDeepStrictEqual(value, before) && swapText(keyOf(scope), field, text, after, step);
    },

    /**
     * Changes a value; concurrent changes are made one after the other. `change` returns the new value, its argument to
     * leave it unchanged, or undefined to remove it. Resolves to the previous value.
     * @param stepOf returns the audit entry that is added with the change, if any
     */
    async update(
      scope: Scope,
      field: Field,
      change: (before: T | undefined) => T | undefined,
      stepOf: (before: T | undefined) => AuditStep | undefined = () => undefined,
    ): Promise<T | undefined> {
      for (;;) {
        const { value, text } = await load(keyOf(scope), field);
        const after = change(value);
        if (after === value || (await swapText(keyOf(scope), field, text, after, stepOf(value))))
          return value;
      }
    },
  };
}

/**
 * Reads and writes values of one kind under a key each. A value is removed some time after its last change; one that cannot
 * be read counts as absent.
 * @param key returns the key of a value of an account or a workspace
 * @param seconds after which it is removed
 */
export function createStoredValues<T, Owner, Id extends string>(
  redis: Redis,
  codec: Codec<T>,
  key: (owner: Owner, id: Id) => string,
  seconds: number,
) {
  async function load(name: string) {
    const text = await redis.get(name);
    const decoded = codec.decode(text ?? '');
    return { text: text ?? '', value: decoded.ok ? decoded.value : undefined };
  }

  return {
    get: async (owner: Owner, id: Id): Promise<T | undefined> => (await load(key(owner, id))).value,

    /** Writes a value whatever was there. @param step an audit entry that is added with it */
    async set(owner: Owner, id: Id, value: T, step?: AuditStep): Promise<void> {
      await change(redis, step, ['SET', key(owner, id), codec.encode(value), 'EX', seconds]);
    },

    async remove(owner: Owner, id: Id): Promise<void> {
      await redis.del(key(owner, id));
    },

    /**
     * Changes a value that is there; concurrent changes are made one after the other. `change` returns undefined or its
     * argument to leave it unchanged. Resolves to the value as it then is, and whether this call changed it.
     * @param step an audit entry that is added with the change
     */
    async update(owner: Owner, id: Id, change: (before: T) => T | undefined, step?: AuditStep) {
      const name = key(owner, id);
      for (;;) {
        const { text, value } = await load(name);
        const after = value && change(value);
        if (after === undefined || after === value) return { value, isChanged: false };
        const set = ['SET', name, codec.encode(after), 'EX', seconds] as const;
        if (await changeIf(redis, [[text, 'GET', name]], [set], step))
          return { value: after, isChanged: true };
      }
    },
  };
}
