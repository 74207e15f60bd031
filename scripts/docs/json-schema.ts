/** The client's schemas as JSON Schema, with each field as the API describes it, not as leniently as the client reads it. */
import * as z from 'zod';
import { endpoints } from '../../src/marketplace/endpoints.ts';
import * as schemas from '../../src/marketplace/schemas.ts';
import type { JsonSchema } from './operations.ts';

export type Json = Record<string, unknown>;

const { describeIssues: _, envelope: _envelope, fileAnswer: _file, refusal, ...described } = schemas;

/** Every schema that is a component of the document, with its name there. */
export const components = new Map<z.core.$ZodType, string>(
  Object.entries(described)
    // Sorted, because bundlers disagree about the order of a module's exports.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [schema, capital(name)]),
);

const string = { type: 'string' };

/** Fields that the API describes and the client does not read. */
const unread: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  CampaignSummary: { status: { const: 'SUCCESS' } },
  CategoryList: { count: { type: 'integer' } },
  DeletedMessage: { message_id: string },
  Rated: { campaign_id: string, task_id: string },
  RatedTask: { comment: string, bonus: string },
  RatedTasks: { campaign_id: string },
  Refusal: { campaign_id: string, task_id: string, message_id: string, index: string },
  Restarted: { campaign_id: string },
  ResultsCsv: { campaign_id: string },
  Retargeted: { campaign_id: string },
  SubmittedProof: { campaign_id: string },
};

/** Fields that an answer may lack, by the API's description. */
const optional: Readonly<Record<string, readonly string[]>> = {
  CreatedCampaign: ['cost', 'speed_previous', 'speed_new'],
  RatedTask: ['bonus', 'success', 'errors'],
  Refusal: [...Object.keys(refusal.shape), 'campaign_id', 'task_id', 'message_id', 'index'],
};

/** A field that the client reads and the API does not describe. */
const notDescribed = 'created_datetime';

/** The schemas of answers. These have `status`, unlike the items of their lists. */
const answers = new Set<z.core.$ZodType>(Object.values(endpoints).map(({ response }) => response));

/** Returns a reference to a schema by its name in the document, or the whole schema if it has none. */
export function reference(schema: z.core.$ZodType): Json {
  const name = components.get(schema);
  return name === undefined ? jsonOf(schema) : { $ref: `#/components/schemas/${name}` };
}

/** Returns a whole schema. */
export function jsonOf(schema: z.core.$ZodType): Json {
  const json: Json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const field = descriptionOf(zodSchema, schema);
      if (field !== undefined) replace(jsonSchema as Json, field);
    },
  });
  delete json.$schema;
  const name = schema === refusal ? 'Refusal' : (components.get(schema) ?? '');
  const properties = { ...(json.properties as Json | undefined), ...unread[name] };
  if (json.type === 'object') {
    delete properties[notDescribed];
    const required = Object.keys(properties).filter((field) => !optional[name]?.includes(field));
    Object.assign(json, { properties, required });
    if (required.length === 0) delete json.required;
  }
  return answers.has(schema) ? withStatus(json, 'SUCCESS') : json;
}

/** Returns the description of a field, without the schemas around it that only accept more; undefined if it has none. */
function descriptionOf(field: z.core.$ZodType, whole: z.core.$ZodType): Json | undefined {
  if (components.has(field)) return field === whole ? undefined : reference(field);
  const { json, listOf } = z.globalRegistry.get(field) ?? {};
  if (json !== undefined) return json as Json;
  if (listOf !== undefined) return { type: 'array', items: reference(listOf as z.ZodType) };
  const { innerType } = field._zod.def as { innerType?: z.core.$ZodType };
  return innerType && descriptionOf(innerType, whole);
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
