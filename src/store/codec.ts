import { z } from 'zod';

/**
 * The version of the form of all stored data. When a kind's schema no longer reads what is stored, raise this, say so in
 * CHANGELOG.md, and give the kind's codec, under the new version, a function that makes the new form of the one before. A
 * field that may be absent needs none of this. Values are migrated as they are read, and stored anew when they change.
 */
export const dataVersion = 1;

/** Functions that make the form of a version from the one before, by that version. None throws, whatever it is given. */
type Migrations = Readonly<Record<number, (before: unknown) => unknown>>;

/** A value read from Redis, or why it cannot be read. The reason never quotes the value. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** The reason of a value that a newer process has stored: it can be read there, and must stay as it is. */
export const newerVersion = 'newer version';

/** Encodes values of one kind as JSON, and decodes them. */
export interface Codec<T> {
  /** Names the kind in the log. */
  readonly name: string;
  encode(value: T): string;
  /** Never throws. */
  decode(text: string): Decoded<T>;
}

/**
 * Creates a codec. What it stores carries the version of its form as `v`, unless that is 1.
 * @param migrations see {@link dataVersion}
 */
export function createCodec<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  migrations: Migrations = {},
): Codec<z.output<Schema>> {
  const steps = Object.entries(migrations).map(([to, migrate]) => [Number(to), migrate] as const);
  const version = Math.max(1, ...steps.map(([to]) => to));
  return {
    name,
    encode: (value) => JSON.stringify(version === 1 ? value : { v: version, ...(value as object) }),
    decode(text) {
      const stored = parseJson(text);
      if (stored === undefined) return { ok: false, reason: 'not JSON' };
      const { v: from, ...fields } = Versioned.safeParse(stored).data ?? { v: 1 };
      if (from > dataVersion) return { ok: false, reason: newerVersion };
      const ahead = steps.filter(([to]) => to > from);
      const value = ahead.reduce<unknown>(
        (before, [, migrate]) => migrate(before),
        from === 1 ? stored : fields,
      );
      const parsed = schema.safeParse(value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, reason: reasonOf(parsed.error) };
    },
  };
}

const Versioned = z.looseObject({ v: z.int() });

/** Creates a codec of counts or times (ms), which Redis writes as numbers. */
export const numberCodec = (name: string) => createCodec(name, z.number());

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
