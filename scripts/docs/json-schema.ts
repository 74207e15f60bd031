/** The client's schemas as JSON Schema, with each field as the API describes it, not as leniently as the client reads it. */
import * as z from 'zod';
import { endpoints } from '../../src/marketplace/endpoints.ts';
import { descriptionOf, type JsonSchema } from '../../src/marketplace/field-descriptions.ts';
import * as schemas from '../../src/marketplace/schemas.ts';

export type Json = Record<string, unknown>;

/** Every schema that is a component of the document, with its name there. */
export const components = new Map<z.ZodType, string>(
  Object.entries(schemas)
    .filter(([, schema]) => schema !== schemas.envelope && schema !== schemas.refusal)
    // Sorted, because bundlers disagree about the order of a module's exports.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [schema, capital(name)]),
);

/** The schemas of answers. These have `status`, unlike the items of their lists. */
const answers = new Set<z.ZodType>(Object.values(endpoints).map(({ response }) => response));

/** Returns a reference to a schema by its name in the document, or the whole schema if it has none. */
export function reference(schema: z.ZodType): Json {
  const name = components.get(schema);
  return name === undefined ? jsonOf(schema) : { $ref: `#/components/schemas/${name}` };
}

/** Returns a whole schema. */
export function jsonOf(schema: z.ZodType): Json {
  const json: Json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const description = descriptionOf(zodSchema);
      if (description !== undefined) return replace(jsonSchema as Json, fieldOf(description));
      const { shape } = zodSchema._zod.def as { shape?: Record<string, z.core.$ZodType> };
      if (shape !== undefined) applyDescriptions(jsonSchema as Json, shape);
    },
  });
  delete json.$schema;
  return answers.has(schema) ? withStatus(json, 'SUCCESS') : json;
}

function fieldOf(description: NonNullable<ReturnType<typeof descriptionOf>>): JsonSchema {
  if ('json' in description) return description.json;
  if ('sameAs' in description) return reference(description.sameAs);
  if ('listOf' in description) return { type: 'array', items: reference(description.listOf) };
  return {};
}

/** Sets an object's properties and required properties to those the API describes, not those the client accepts. */
function applyDescriptions(json: Json, shape: Record<string, z.core.$ZodType>): void {
  const properties = json.properties as Json;
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const description = descriptionOf(field);
    if (description !== undefined && 'absent' in description) delete properties[name];
    else if (description === undefined || description.optional !== true) required.push(name);
  }
  delete json.required;
  if (required.length > 0) json.required = required;
}

/** Returns the object with an answer's `status` added. */
export function withStatus(json: Json, status: 'SUCCESS' | 'ERROR'): Json {
  return {
    ...json,
    properties: { status: { const: status }, ...(json.properties as Json) },
    required: ['status', ...((json.required as string[] | undefined) ?? [])],
  };
}

function replace(target: Json, by: JsonSchema): void {
  for (const keyword of Object.keys(target)) delete target[keyword];
  Object.assign(target, by);
}

/** Capitalizes a name, as for components. */
export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
