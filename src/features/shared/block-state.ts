import { z } from 'zod';

/** A page of a list, from 0; an invalid value counts as the first page. */
export const pageField = z.coerce.number().int().min(0).max(999_999).catch(0);

/** A day (YYYY-MM-DD); an invalid value counts as none. */
export const dayField = z.iso.date().optional().catch(undefined);

type Field = z.ZodType<string | number | undefined>;

export interface BlockStateCodec<State> {
  /** Returns a block id. @param part distinguishes the block from others in its message */
  encode(part: string, state: State): string;
  /** Returns the state in a block id, or undefined for a block of another kind. */
  decode(blockId: string): State | undefined;
  /** Returns the state with a choice applied; the list returns to its first page unless a page was chosen. */
  update(state: State, change: Partial<Record<keyof State, string>>): State;
}

/**
 * Returns the codec for state that a message carries in its block ids, as `<part>/<field>/<field>…` in schema order. A
 * click re-renders the list from it, so no list state is stored.
 */
export function blockStateCodec<Schema extends z.ZodObject<Readonly<Record<string, Field>>>>(
  schema: Schema,
): BlockStateCodec<z.infer<Schema>> {
  const names = Object.keys(schema.shape);
  const parse = (value: unknown) => schema.safeParse(value).data;
  return {
    encode: (part, state) => [part, ...names.map((name) => state[name] ?? '')].join('/'),
    decode(blockId) {
      const [, ...texts] = blockId.split('/');
      return parse(Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ''])));
    },
    update: (state, change) => parse({ ...state, page: 0, ...change }) ?? { ...state, page: 0 },
  };
}
