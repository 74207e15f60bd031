import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { chunksOf } from '../domain/group.ts';
import { type AuditStep, appendEntry } from './audit/writer.ts';
import type { Codec } from './codec.ts';
import { createFieldReads } from './field-reads.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

/**
 * KEYS: hash, an audit trail if an entry is added to it. ARGV: field, its current text ('' for none), its new text ('' for
 * none), entry. Returns 1, or 0 when the field has changed.
 */
const swapScript = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
if KEYS[2] then ${appendEntry('KEYS[2]', 'ARGV[4]')} end
return 1`;

/**
 * Replaces one text by another, '' standing for none. Resolves to false when the field has changed meanwhile.
 * @param step an audit entry that is added with it
 */
export async function swapField(
  redis: Redis,
  key: string,
  field: string,
  before: string,
  after: string,
  step?: AuditStep,
): Promise<boolean> {
  const keys = step === undefined ? [key] : [key, step.key];
  const rest = [field, before, after, step?.text ?? ''];
  const isDone = (await redis.eval(swapScript, keys.length, ...keys, ...rest)) === 1;
  if (isDone) step?.stored();
  return isDone;
}

/** KEYS: hash. ARGV: text. Returns the entries whose field or value contains the text. */
const entriesWithScript = `
local all, found = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  if string.find(all[i], ARGV[1], 1, true) or string.find(all[i + 1], ARGV[1], 1, true) then
    found[#found + 1] = all[i]
    found[#found + 1] = all[i + 1]
  end
end
return found`;

/**
 * Returns the entries of a hash whose field or value contains a text, such as an account's id, for callers that look closer:
 * an account's entries are found without reading those of a thousand others.
 */
export async function entriesWith(
  redis: Redis,
  key: string,
  text: string,
): Promise<readonly (readonly [field: string, text: string])[]> {
  const found = (await redis.eval(entriesWithScript, 1, key, text)) as string[];
  return chunksOf(found, 2).map(([field = '', value = '']) => [field, value] as const);
}

interface Read<T> {
  readonly value: T | undefined;
  readonly text: string;
}

/**
 * Reads and writes hashes in Redis whose fields hold values of one kind. A value that cannot be read is set aside and
 * counts as absent.
 */
export function createStoredHash<T, Field extends string>(
  redis: Redis,
  { codec, field: fieldSchema }: { readonly codec: Codec<T>; readonly field: z.core.$ZodType<Field> },
  logger?: ErrorLogger,
) {
  const fieldsOf = createFieldReads(redis);

  async function swapText(
    key: string,
    field: string,
    text: string,
    after: T | undefined,
    step?: AuditStep,
  ): Promise<boolean> {
    return swapField(redis, key, field, text, after === undefined ? '' : codec.encode(after), step);
  }

  /** Returns a value and its text in Redis, '' for none. */
  async function read(key: string, field: string, text: string | null | undefined): Promise<Read<T>> {
    if (text == null) return { value: undefined, text: '' };
    const decoded = codec.decode(text);
    if (decoded.ok) return { value: decoded.value, text };
    const { reason } = decoded;
    const isSetAside = await setAside(redis, logger, { kind: codec.name, key, field, reason, text });
    if (isSetAside) await swapText(key, field, text, undefined);
    return { value: undefined, text: isSetAside ? '' : text };
  }

  async function load(key: string, field: string): Promise<Read<T>> {
    const [text] = await fieldsOf(key, [field]);
    return read(key, field, text);
  }

  async function loadMany(
    key: string,
    entries: readonly (readonly [field: string, text: string | null | undefined])[],
  ): Promise<(readonly [field: Field, value: T])[]> {
    const found = await Promise.all(
      entries.map(async ([field, text]) => [field, (await read(key, field, text)).value] as const),
    );
    return found.flatMap(([field, value]) =>
      value === undefined ? [] : [[z.parse(fieldSchema, field), value] as const],
    );
  }

  return {
    async get(key: string, field: Field): Promise<T | undefined> {
      return (await load(key, field)).value;
    },

    /** Returns the value of a field's text, for callers that read many hashes at once. */
    async valueOf(key: string, field: Field, text: string | null): Promise<T | undefined> {
      return (await read(key, field, text)).value;
    },

    /** Returns the readable ones among several fields. */
    async getMany(key: string, fields: readonly Field[]): Promise<Map<Field, T>> {
      if (fields.length === 0) return new Map();
      const texts = await fieldsOf(key, fields);
      return new Map(
        await loadMany(
          key,
          fields.map((field, index) => [field, texts[index]]),
        ),
      );
    },

    /** Returns every readable value by its field. */
    async all(key: string): Promise<Map<Field, T>> {
      return new Map(await loadMany(key, Object.entries(await redis.hgetall(key))));
    },

    /** Returns the readable values whose field or value text contains a text, by field. */
    async allWith(key: string, text: string): Promise<Map<Field, T>> {
      return new Map(await loadMany(key, await entriesWith(redis, key, text)));
    },

    async set(key: string, field: Field, value: T): Promise<void> {
      await redis.hset(key, field, codec.encode(value));
    },

    /**
     * Replaces `before`, as it was read, by `after`; undefined stands for no value. Resolves to false when the value has
     * changed since it was read.
     * @param step an audit entry that is added with it
     */
    async replace(
      key: string,
      field: Field,
      before: T | undefined,
      after: T | undefined,
      step?: AuditStep,
    ): Promise<boolean> {
      // An older version may have written the same value as another text, so values are compared first.
      const { value, text } = await load(key, field);
      return isDeepStrictEqual(value, before) && swapText(key, field, text, after, step);
    },

    /**
     * Changes a value; concurrent changes are made one after the other. `change` returns the new value, its argument to
     * leave it unchanged, or undefined to remove it. Resolves to the previous value.
     * @param stepOf returns the audit entry that is added with the change, if any
     */
    async update(
      key: string,
      field: Field,
      change: (before: T | undefined) => T | undefined,
      stepOf: (before: T | undefined) => AuditStep | undefined = () => undefined,
    ): Promise<T | undefined> {
      for (;;) {
        const { value, text } = await load(key, field);
        const after = change(value);
        if (after === value || (await swapText(key, field, text, after, stepOf(value)))) return value;
      }
    },
  };
}
