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
export type Description = { readonly optional?: boolean } & (
  | { readonly json: JsonSchema }
  | { readonly like: z.ZodType }
  | { readonly listOf: z.ZodType }
  | { readonly absent: true }
);

const descriptions = new WeakMap<object, Description>();

/** The description of a schema that has one. */
export function descriptionOf(schema: object): Description | undefined {
  return descriptions.get(schema);
}

/** The same schema with a description of its own. */
export function described<Schema extends z.ZodType>(schema: Schema, description: Description): Schema {
  const own = schema.clone();
  descriptions.set(own, description);
  return own;
}

/** The same schema, for a field that an answer may lack. */
export function mayLack<Schema extends z.ZodType>(schema: Schema) {
  const own = schema.nullish();
  const description = descriptions.get(schema);
  if (description !== undefined) descriptions.set(own, { ...description, optional: true });
  return own;
}

/** A field that is described and not read: whatever stands there is accepted. */
export function notRead(json: JsonSchema, optional = false) {
  return described(z.unknown().optional(), { json, optional });
}

/** A list whose items are read one by one with the schema given, so that a malformed one does not sink the others. */
export function listOf(item: z.ZodType) {
  return described(z.array(z.unknown()), { listOf: item });
}
