import { z } from 'zod';

/** A value read from Redis, or why it cannot be read. The reason never quotes the value. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** Encodes values of one kind as JSON, and decodes them. */
export interface Codec<T> {
  /** Names the kind in the log. */
  readonly name: string;
  encode(value: T): string;
  /** Never throws. */
  decode(text: string): Decoded<T>;
}

/** Creates a codec of version 1: texts of later versions will carry theirs as `v`, and cannot be read. */
export function createCodec<Schema extends z.ZodType>(name: string, schema: Schema): Codec<z.output<Schema>> {
  return {
    name,
    encode: (value) => JSON.stringify(value),
    decode(text) {
      const stored = parseJson(text);
      if (stored === undefined) return { ok: false, reason: 'not JSON' };
      if (Later.safeParse(stored).success) return { ok: false, reason: 'unknown version' };
      const parsed = schema.safeParse(stored);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, reason: reasonOf(parsed.error) };
    },
  };
}

const Later = z.looseObject({ v: z.unknown() });

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
