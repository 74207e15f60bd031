/** The marketplace API as an OpenAPI 3.1 document, generated from the client's own endpoints, schemas and error texts. */

import { defaultKeyHeader, defaultTimeZone, keyErrorTexts } from '../../src/marketplace/api-assumptions.ts';
import { type Endpoint, endpoints } from '../../src/marketplace/endpoints.ts';
import { type KnownError, knownErrors } from '../../src/marketplace/errors.ts';
import * as schemas from '../../src/marketplace/schemas.ts';
import { capital, components, type Json, jsonOf, reference, withStatus } from './json-schema.ts';
import { type Operation, operations, pathParameters, tags } from './operations.ts';

/** Returns the document, ready to be written as JSON or YAML. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const [index, endpoint] of Object.values(endpoints).entries()) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, index + 1, operations[endpoint.name]),
    };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Crowd-Task Marketplace Employer API',
      version: '1',
      summary:
        'Campaigns, tasks and their ratings, proof files, messages, and the lists of employers and workers.',
      description: [
        'Every request carries the key of an account. Form fields whose name ends in `[]` are sent once per value.',
        'Every answer is a JSON object with `status` SUCCESS or ERROR, unless it is a file. Which HTTP status an error has is not described: read `status`. Most numbers are texts, money is a text with five decimals, datetimes are `YYYY-MM-DD hh:mm:ss`.',
        `Where the description of the API is silent, this document leaves things open. What the client assumes all the same is marked “Assumed”, such as: datetimes are in ${defaultTimeZone}. The version is that of the document: the API has none.`,
      ].join('\n\n'),
    },
    servers: [{ url: '/', description: 'The base address of the service' }],
    tags: [...tags],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: defaultKeyHeader,
          description:
            'Assumed: this name. The real one carries the operator’s brand at the place of the word Service.',
        },
      },
      schemas: {
        ...Object.fromEntries([...components].map(([schema, name]) => [name, jsonOf(schema)])),
        Refusal: withStatus(jsonOf(schemas.refusal), 'ERROR'),
        ...Object.fromEntries(
          Object.values(endpoints).map(({ name }) => [refusalName(name), refusalOf(operations[name])]),
        ),
      },
    },
  };
}

function operationOf(endpoint: Endpoint, section: number, operation: Operation): Json {
  const refused = { $ref: `#/components/schemas/${refusalName(endpoint.name)}` };
  const isFile = endpoint.answer === 'file';
  const isQuery = endpoint.method === 'GET';
  return {
    operationId: endpoint.name,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description ?? `${operation.summary}.`} (Section ${section} of the API.)`,
    parameters: [
      ...[...endpoint.path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        description: pathParameters[name],
        schema: name === 'index' ? { type: 'integer', minimum: 1 } : { type: 'string' },
      })),
      ...(isQuery ? queryParameters(operation) : []),
    ],
    ...(isQuery ? {} : bodyOf(endpoint, operation)),
    responses: {
      200: {
        description: isFile
          ? 'The file, or an error'
          : 'SUCCESS, or an error where errors come with status 200',
        ...(isFile
          ? {
              headers: {
                'Content-Disposition': {
                  description: 'Carries the original file name',
                  schema: { type: 'string' },
                },
              },
            }
          : {}),
        content: {
          'application/json': {
            schema: isFile ? refused : { oneOf: [successOf(endpoint, operation), refused] },
          },
          ...(isFile ? { '*/*': { schema: {} } } : {}),
        },
      },
      default: {
        description: 'An error where errors come with another status',
        content: { 'application/json': { schema: refused } },
      },
    },
  };
}

function queryParameters({ fields }: Operation): Json[] {
  return Object.entries(fields).map(([name, { schema, description, required }]) => ({
    name,
    in: 'query',
    ...(description ? { description } : {}),
    ...(required ? { required } : {}),
    schema,
  }));
}

function bodyOf(endpoint: Endpoint, operation: Operation): Json {
  const type = endpoint.isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
  const fields = Object.entries(operation.fields);
  if (fields.length === 0) return {};
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    requestBody: {
      required: true,
      content: {
        [type]: {
          schema: {
            type: 'object',
            properties: Object.fromEntries(
              fields.map(([name, { schema, description }]) => [
                name,
                { ...schema, ...(description === undefined ? {} : { description }) },
              ]),
            ),
            ...(required.length > 0 ? { required } : {}),
            ...operation.body,
          },
        },
      },
    },
  };
}

/** Returns the SUCCESS answer; if its entries may have errors, with their known texts. */
function successOf({ response }: Endpoint, { entryErrors }: Operation): Json {
  if (entryErrors === undefined) return reference(response);
  const texts = knownErrors.filter(({ code, group }) => group === 'task' && entryErrors.includes(code));
  const entry = { type: 'object', properties: { errors: listWith(textsOf(texts)) } };
  return {
    allOf: [reference(response), { type: 'object', properties: { tasks: { type: 'array', items: entry } } }],
  };
}

/** Returns the ERROR answer of one operation: the shared shape, with this operation's known texts. */
function refusalOf({ errors }: Operation): Json {
  const aboutTheKey = Object.values(keyErrorTexts);
  const known = (...groups: readonly KnownError['group'][]) =>
    textsOf(knownErrors.filter(({ code, group }) => groups.includes(group) && errors.includes(code)));
  const inList = known('input');
  const tokens = known('campaign');
  return {
    allOf: [
      { $ref: '#/components/schemas/Refusal' },
      {
        type: 'object',
        properties: {
          error: {
            type: 'string',
            description: 'Assumed: the texts about the key, which stand last.',
            examples: [...known('request', 'submit'), ...aboutTheKey],
          },
          ...(inList.length > 0 ? { errors_list: listWith(inList) } : {}),
          ...(tokens.length > 0 ? { errors: listWith(tokens) } : {}),
        },
        ...(tokens.length > 0
          ? { anyOf: [requiring('error'), requiring('errors')] }
          : { required: ['error'] }),
      },
    ],
  };
}

function requiring(name: string): Json {
  return { properties: { [name]: {} }, required: [name] };
}

function refusalName(name: string): string {
  return `${capital(name)}Refusal`;
}

function listWith(texts: readonly string[]): Json {
  return { type: 'array', items: { type: 'string', examples: texts } };
}

function textsOf(errors: readonly KnownError[]): string[] {
  return errors.map(({ text }) => text);
}
