/** Parses with compiled schemas, which takes a fifth to a third of the time of interpreting them. */
import * as z from 'zod';

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Parses like `schema.safeParse`. A schema is compiled when it is first used: that takes a few milliseconds, and no process
 * uses all of them.
 */
export function safeParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  let parser = compiled.get(schema);
  if (parser === undefined) {
    parser = z.compile(schema);
    compiled.set(schema, parser);
  }
  return parser.safeParse(value) as z.ZodSafeParseResult<z.output<Schema>>;
}
