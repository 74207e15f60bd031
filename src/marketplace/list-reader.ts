/** Parses lists item by item: a malformed item is reported and omitted, never the whole list. */
import type * as z from 'zod';
import { describeIssues } from './field-schemas.ts';
import type { Skipped } from './interface.ts';

/** Parses a list within an item; its skipped items are reported under the item's index, with `label`. */
type ParseWithin = <Schema extends z.ZodType>(
  schema: Schema,
  list: readonly unknown[],
  label: string,
) => z.output<Schema>[];

export function createListReader(onSkipped: ((skipped: Skipped) => void) | undefined) {
  function parseOne<Schema extends z.ZodType>(
    schema: Schema,
    value: unknown,
    { endpoint, index, label = '' }: { endpoint: string; index: number; label?: string },
  ): z.output<Schema> | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    onSkipped?.({ endpoint, index, issues: describeIssues(parsed.error).map((issue) => label + issue) });
    return undefined;
  }

  return {
    /** Returns as many items as the list has, with undefined for each one that could not be parsed. */
    parseKeepingIndexes: <Schema extends z.ZodType>(
      endpoint: string,
      schema: Schema,
      list: readonly unknown[],
    ): (z.output<Schema> | undefined)[] =>
      list.map((value, index) => parseOne(schema, value, { endpoint, index })),

    /** Returns the result of `toItem` for each item that can be parsed. */
    parse: <Schema extends z.ZodType, Item>(
      endpoint: string,
      schema: Schema,
      list: readonly unknown[],
      toItem: (wire: z.output<Schema>, within: ParseWithin) => Item,
    ): Item[] =>
      list.flatMap((value, index) => {
        const wire = parseOne(schema, value, { endpoint, index });
        if (wire === undefined) return [];
        const within: ParseWithin = (innerSchema, inner, label) =>
          inner.flatMap((one, at) => {
            const parsed = parseOne(innerSchema, one, { endpoint, index, label: `${label} ${at}: ` });
            return parsed === undefined ? [] : [parsed];
          });
        return [toItem(wire, within)];
      }),
  };
}
