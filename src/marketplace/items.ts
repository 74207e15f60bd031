/** Lists are read item by item: a malformed item is reported and left out, never the whole list. */
import type * as z from 'zod';
import type { Skipped } from './interface.ts';
import { issuesOf } from './wire.ts';

/** Reads a list within an item; what is skipped there is reported under the item's place, with `label`. */
type ReadWithin = <Schema extends z.ZodType>(
  schema: Schema,
  list: readonly unknown[],
  label: string,
) => z.output<Schema>[];

export interface ItemReader {
  read<Schema extends z.ZodType, Item>(
    endpoint: string,
    schema: Schema,
    list: readonly unknown[],
    toItem: (wire: z.output<Schema>, within: ReadWithin) => Item,
  ): Item[];
  /** Keeps places: undefined stands where an item could not be read. */
  readInPlace<Schema extends z.ZodType>(
    endpoint: string,
    schema: Schema,
    list: readonly unknown[],
  ): (z.output<Schema> | undefined)[];
}

export function createItemReader(onSkipped: ((skipped: Skipped) => void) | undefined): ItemReader {
  function readOne<Schema extends z.ZodType>(
    schema: Schema,
    value: unknown,
    skipped: { endpoint: string; index: number; label?: string },
  ): z.output<Schema> | undefined {
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    const { endpoint, index, label } = skipped;
    const issues = issuesOf(read.error);
    onSkipped?.({ endpoint, index, issues: label ? issues.map((issue) => `${label}: ${issue}`) : issues });
    return undefined;
  }

  function readInPlace<Schema extends z.ZodType>(endpoint: string, schema: Schema, list: readonly unknown[]) {
    return list.map((value, index) => readOne(schema, value, { endpoint, index }));
  }

  return {
    readInPlace,
    read: (endpoint, schema, list, toItem) =>
      readInPlace(endpoint, schema, list).flatMap((wire, index) => {
        if (wire === undefined) return [];
        const within: ReadWithin = (innerSchema, inner, label) =>
          inner.flatMap((value, place) => {
            const one = readOne(innerSchema, value, { endpoint, index, label: `${label} ${place}` });
            return one === undefined ? [] : [one];
          });
        return [toItem(wire, within)];
      }),
  };
}
