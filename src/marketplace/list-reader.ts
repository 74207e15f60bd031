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

export interface ListReader {
  /** Returns the result of `toItem` for each item that can be parsed. */
  parse<Schema extends z.ZodType, Item>(
    endpoint: string,
    schema: Schema,
    list: readonly unknown[],
    toItem: (wire: z.output<Schema>, within: ParseWithin) => Item,
  ): Item[];
  /** Returns as many items as the list has, with undefined for each one that could not be parsed. */
  parseKeepingIndexes<Schema extends z.ZodType>(
    endpoint: string,
    schema: Schema,
    list: readonly unknown[],
  ): (z.output<Schema> | undefined)[];
}

export function createListReader(onSkipped: ((skipped: Skipped) => void) | undefined): ListReader {
  function parseOne<Schema extends z.ZodType>(
    schema: Schema,
    value: unknown,
    position: { endpoint: string; index: number; label?: string },
  ): z.output<Schema> | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const { endpoint, index, label } = position;
    const issues = describeIssues(parsed.error);
    onSkipped?.({ endpoint, index, issues: label ? issues.map((issue) => `${label}: ${issue}`) : issues });
    return undefined;
  }

  function parseKeepingIndexes<Schema extends z.ZodType>(
    endpoint: string,
    schema: Schema,
    list: readonly unknown[],
  ) {
    return list.map((value, index) => parseOne(schema, value, { endpoint, index }));
  }

  return {
    parseKeepingIndexes,
    parse(endpoint, schema, list, toItem) {
      const items: ReturnType<typeof toItem>[] = [];
      list.forEach((value, index) => {
        const wire = parseOne(schema, value, { endpoint, index });
        if (wire === undefined) return;
        const within: ParseWithin = (innerSchema, inner, label) =>
          inner.flatMap((innerValue, innerIndex) => {
            const position = { endpoint, index, label: `${label} ${innerIndex}` };
            const one = parseOne(innerSchema, innerValue, position);
            return one === undefined ? [] : [one];
          });
        items.push(toItem(wire, within));
      });
      return items;
    },
  };
}
