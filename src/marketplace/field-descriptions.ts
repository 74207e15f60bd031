/**
 * What the API's description says of a field, beside the schema that reads it: schemas accept more than is described
 * (a number for a text, nothing for an empty one). The machine-readable description is made of both (scripts/docs).
 */
import * as z from 'zod';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * How a field is described: as JSON Schema, as another schema reads it, or as a list of what another schema reads.
 * `optional`: an answer may lack it. `absent`: the description does not have it at all.
 */
export type FieldDescription<Reference = z.ZodType> = { readonly optional?: boolean } & (
  | { readonly json: JsonSchema }
  | { readonly sameAs: Reference }
  | { readonly listOf: Reference }
  | { readonly absent: true }
);

// The types of a registry look into its metadata, where a schema would be instantiated without end: hence `unknown`.
const registry = z.registry<FieldDescription<unknown>>();

/** Returns the description of a schema that has one. */
export function descriptionOf(schema: z.core.$ZodType): FieldDescription | undefined {
  return registry.get(schema) as FieldDescription | undefined;
}

/** Returns a copy of a schema that is registered with a description of its own. */
export function withDescription<Schema extends z.ZodType>(
  schema: Schema,
  description: FieldDescription,
): Schema {
  const copy = schema.clone();
  registry.add(copy, description);
  return copy;
}

/** Returns the schema for a field that an answer may lack, described as the one given. */
export function optionalField<Schema extends z.ZodType>(schema: Schema) {
  const optional = schema.nullish();
  const description = descriptionOf(schema);
  if (description !== undefined) registry.add(optional, { ...description, optional: true });
  return optional;
}

/** Returns a schema for a field that is described and not used: it accepts whatever stands there. */
export function unusedField(json: JsonSchema, optional = false) {
  return withDescription(z.unknown().optional(), { json, optional });
}

/** Returns a schema for a list whose items are parsed one by one (list-reader.ts), so that one cannot sink the others. */
export function listOf(item: z.ZodType) {
  return withDescription(z.array(z.unknown()), { listOf: item });
}
