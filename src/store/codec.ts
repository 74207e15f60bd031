import { z } from 'zod';

/** A value read from Redis, or why it cannot be read. The reason never quotes the value. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** A step from one version of a stored value to the next. Takes and returns plain JSON values. */
export interface Migration {
  readonly name: string;
  readonly migrate: (old: unknown) => unknown;
}

/** Encodes values of one kind as JSON and decodes them, whichever version wrote them. */
export interface Codec<T> {
  /** Names the kind in the log and among the fixtures. */
  readonly name: string;
  readonly version: number;
  encode(value: T): string;
  /** Never throws. */
  decode(text: string): Decoded<T>;
}

/**
 * Creates a codec. Texts carry their version as `v`; those of version 1 carry none. Each migration leads to the next
 * version: the first one from version 1 to 2, and so on.
 */
export function createCodec<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  migrations: readonly Migration[] = [],
): Codec<z.output<Schema>> {
  const version = migrations.length + 1;

  function migrated(stored: unknown, from: number): Decoded<unknown> {
    let value = stored;
    for (const step of migrations.slice(from - 1)) {
      try {
        value = step.migrate(value);
      } catch {
        return { ok: false, reason: `migration failed: ${step.name}` };
      }
    }
    return { ok: true, value };
  }

  return {
    name,
    version,
    encode: (value) => JSON.stringify(version === 1 ? value : { v: version, ...(value as object) }),
    decode(text) {
      const stored = parseJson(text);
      if (stored === undefined) return { ok: false, reason: 'not JSON' };
      const from = versionOf(stored);
      if (from === undefined || from > version) return { ok: false, reason: 'unknown version' };
      const current = migrated(stored, from);
      if (!current.ok) return current;
      const parsed = schema.safeParse(current.value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, reason: reasonOf(parsed.error) };
    },
  };
}

/** Creates a codec of counts or times (ms), which Redis writes as numbers. */
export const numberCodec = (name: string) => createCodec(name, z.number());

/**
 * Creates a migration that renames fields. Fields of nested objects are given by path:
 * `{ 'decision.lost': 'earlierAttemptUnknown' }`. Absent fields stay absent.
 */
export function renameFields(name: string, names: Readonly<Record<string, string>>): Migration {
  return {
    name,
    migrate: (old) =>
      Object.entries(names).reduce((value, [path, to]) => renamed(value, path.split('.'), to), old),
  };
}

function renamed(value: unknown, [first = '', ...rest]: readonly string[], to: string): unknown {
  if (!isObject(value) || !Object.hasOwn(value, first)) return value;
  if (rest.length > 0) return { ...value, [first]: renamed(value[first], rest, to) };
  const { [first]: moved, ...others } = value;
  return { ...others, [to]: moved };
}

function versionOf(stored: unknown): number | undefined {
  if (!isObject(stored) || !Object.hasOwn(stored, 'v')) return 1;
  const { v } = stored;
  return typeof v === 'number' && Number.isInteger(v) && v >= 1 ? v : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the problem and its location, without Zod's own messages: they may quote the value. */
function reasonOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? 'invalid' : `${issue.path.map(String).join('.') || 'value'}: ${issue.code}`;
}
