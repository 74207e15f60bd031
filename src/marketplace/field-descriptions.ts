/**
 * The API's description of each field, beside the schema that reads it: schemas accept more than is described (a number for
 * a text, nothing for an empty one). The machine-readable description is generated from both (scripts/docs).
 */
import * as z from 'zod';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * How a field is described: as JSON Schema, as another schema reads it, or as a list of another schema's items. `optional`:
 * an answer may lack it. `absent`: the description does not have it at all.
 */
export type FieldDescription<Reference = z.ZodType> = { readonly optional?: boolean } & (
  | { readonly json: JsonSchema }
  | { readonly sameAs: Reference }
  | { readonly listOf: Reference }
  | { readonly absent: true }
);

// A registry's types inspect its metadata, where a schema would be instantiated endlessly: hence `unknown`.
const registry = z.registry<FieldDescription<unknown>>();

/** Returns the description of a schema that has one. */
export function descriptionOf(schema: z.core.$ZodType): FieldDescription | undefined {
  return registry.get(schema) as FieldDescription | undefined;
}

/** Returns a copy of a schema, registered with its own description. */
export function withDescription<Schema extends z.ZodType>(
  schema: Schema,
  description: FieldDescription,
): Schema {
  const copy = schema.clone();
  registry.add(copy, description);
  return copy;
}

/** Returns the schema for a field that an answer may lack, with the description of the given one. */
export function optionalField<Schema extends z.ZodType>(schema: Schema) {
  const optional = schema.nullish();
  const description = descriptionOf(schema);
  if (description !== undefined) registry.add(optional, { ...description, optional: true });
  return optional;
}

/** Returns a schema for a field that is described but not used: it accepts any value. */
export function unusedField(json: JsonSchema, optional = false) {
  return withDescription(z.unknown().optional(), { json, optional });
}

/** Returns a schema for a list whose items are parsed one by one (list-reader.ts), so that one cannot fail the others. */
export function listOf(item: z.ZodType) {
  return withDescription(z.array(z.unknown()), { listOf: item });
}
