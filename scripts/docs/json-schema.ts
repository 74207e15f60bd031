/** The client's schemas as JSON Schema, each field as the API describes it and not as it is tolerated. */
import * as z from 'zod';
import { endpoints } from '../../src/marketplace/endpoints.ts';
import { descriptionOf, type JsonSchema } from '../../src/marketplace/field-descriptions.ts';
import * as schemas from '../../src/marketplace/schemas.ts';

export type Json = Record<string, unknown>;

/** Every schema that is a component of the document, with its name there. */
export const components = new Map<z.ZodType, string>(
  Object.entries(schemas)
    .filter(([, schema]) => schema !== schemas.envelope && schema !== schemas.refusal)
    // In an order of their own: bundlers disagree about that of a module's names.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [schema, capital(name)]),
);

/** Answers carry `status`, the items of their lists do not. */
const answers = new Set<z.ZodType>(Object.values(endpoints).map(({ response }) => response));

/** A schema by its name in the document, or in full where it has none. */
export function reference(schema: z.ZodType): Json {
  const name = components.get(schema);
  return name === undefined ? jsonOf(schema) : { $ref: `#/components/schemas/${name}` };
}

/** A schema in full. */
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

/** Which properties an object has and must have, as described and not as tolerated. */
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

/** The object with the `status` that an answer has. */
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

/** With a capital letter, as components are named. */
export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
