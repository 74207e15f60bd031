import { z } from 'zod';

/** A page of a list, from 0; anything that is no page counts as the first one. */
export const pageField = z.coerce.number().int().min(0).max(999_999).catch(0);

/** A day (YYYY-MM-DD); anything that is no day counts as none. */
export const dayField = z.iso.date().optional().catch(undefined);

type Field = z.ZodType<string | number | undefined>;

export interface BlockStateCodec<State> {
  /** Returns a block id. @param part what tells the block from the others of its message */
  encode(part: string, state: State): string;
  /** Returns the state in a block id, or undefined for a block of another kind. */
  decode(blockId: string): State | undefined;
  /** Returns the state with what was chosen; a list starts at its first page again unless a page was chosen. */
  update(state: State, change: Partial<Record<keyof State, string>>): State;
}

/**
 * Returns the codec of state that a message carries in its block ids, as `<part>/<field>/<field>…` in the order of the
 * schema. A list is rendered again from it when something in the list is clicked, so nothing about it is stored.
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
