import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of the document from which a request is built. */
interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: 'path' | 'query'; required?: boolean; schema: object }[];
  readonly requestBody?: { content: Record<string, { schema: { properties: Record<string, object> } }> };
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { securitySchemes: { apiKey: { name: string } } };
}

/** The values to send, by name, for path, query and body alike. */
export type Values = Readonly<Record<string, string | readonly string[] | File>>;

interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, unknown>>;
}

/** An answer, and its violations of the document; `faults` is empty if there are none. */
interface Checked {
  readonly status: number;
  readonly type: string;
  readonly body: Record<string, unknown>;
  readonly bytes: Uint8Array;
  readonly faults: readonly string[];
}

/**
 * Calls a service using only its OpenAPI document, which determines the address, the kind of body and the header. Each
 * answer is validated against the document.
 */
export function documentedApi(url: string, document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(document, 'api');
  const onTheWire = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [operation.operationId, { path, method, operation }]),
    ),
  );

  /** Returns the validator for the schema at this place in the document. */
  function schemaAt(...place: readonly string[]): ValidateFunction {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    return ajv.compile({ $ref: `api#/${pointer.join('/')}` });
  }

  function faultsOf(where: string, validate: ValidateFunction, value: unknown): string[] {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${where}${instancePath} ${message}`);
  }

  return {
    names: [...operations.keys()],

    /** Calls an operation. Throws for names of operations and values that are not in the document. */
    async call(name: string, values: Values = {}, key = 'employer-demo-key'): Promise<Checked> {
      const found = operations.get(name);
      if (found === undefined) throw new Error(`the document has no operation ${name}`);
      const { path, method, operation } = found;
      const place = ['paths', path, method];
      const [kind] = Object.keys(operation.requestBody?.content ?? {});
      const fields = kind === undefined ? undefined : operation.requestBody?.content[kind]?.schema.properties;

      const known = new Set([...operation.parameters.map((one) => one.name), ...Object.keys(fields ?? {})]);
      for (const value of Object.keys(values)) {
        if (!known.has(value)) throw new Error(`the document has no ${value} in ${name}`);
      }

      let address = path;
      const query = new URLSearchParams();
      for (const { name: parameter, in: where } of operation.parameters) {
        const value = wireText(values[parameter]);
        if (where === 'path') address = address.replace(`{${parameter}}`, encodeURIComponent(value ?? ''));
        else if (value !== undefined) query.append(parameter, value);
      }
      const body = kind === 'multipart/form-data' ? new FormData() : new URLSearchParams();
      for (const field of Object.keys(fields ?? {})) {
        for (const value of [values[field] ?? []].flat()) {
          if (body instanceof FormData && value instanceof File) body.append(field, value);
          else body.append(field, wireText(value) ?? '');
        }
      }

      const search = query.size > 0 ? `?${query}` : '';
      const response = await fetch(`${url}${address}${search}`, {
        method: method.toUpperCase(),
        headers: { [document.components.securitySchemes.apiKey.name]: key },
        ...(fields === undefined ? {} : { body }),
      });
      const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const bytes = new Uint8Array(await response.arrayBuffer());
      const described = String(response.status) in operation.responses ? String(response.status) : 'default';
      const content = operation.responses[described]?.content ?? {};
      if (type !== 'application/json' || response.headers.has('content-disposition')) {
        const faults = '*/*' in content ? [] : [`${described}: ${type} is not described`];
        return { status: response.status, type, body: {}, bytes, faults };
      }
      const json = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
      const validate = schemaAt(...place, 'responses', described, 'content', type, 'schema');
      return { status: response.status, type, body: json, bytes, faults: faultsOf(name, validate, json) };
    },

    /** Returns a logged request's violations of the document. */
    requestFaults({ method, path, query, form }: LoggedRequest): string[] {
      const found = [...operations.values()].find(
        (one) => one.method === method.toLowerCase() && patternOf(one.path).test(path),
      );
      if (found === undefined) return [`${method} ${path} is not described`];
      const { operation } = found;
      const name = operation.operationId;
      const parameters = operation.parameters.filter((one) => one.in === 'query');
      const [kind] = Object.keys(operation.requestBody?.content ?? {});
      const schemas = {
        query: {
          type: 'object',
          properties: Object.fromEntries(parameters.map((one) => [one.name, one.schema])),
        },
        form: kind === undefined ? {} : (operation.requestBody?.content[kind]?.schema ?? {}),
      };
      // Files may have any bytes; everything else, including numbers, is text on the wire.
      const sent = Object.entries(form).map(([field, value]) => [
        field,
        typeof value === 'object' && !Array.isArray(value) ? '' : value,
      ]);
      return [
        ...unknownNames(`${name} query`, query, schemas.query),
        ...unknownNames(`${name} form`, form, schemas.form),
        ...faultsOf(`${name} query`, onTheWire.compile(schemas.query), { ...query }),
        ...faultsOf(`${name} form`, onTheWire.compile(schemas.form), Object.fromEntries(sent)),
      ];
    },
  };
}

/** Returns a single value as text; undefined for a file or a list. */
function wireText(value: Values[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function unknownNames(where: string, sent: object, { properties = {} }: { properties?: object }): string[] {
  return Object.keys(sent)
    .filter((name) => !(name in properties))
    .map((name) => `${where}: ${name} is not described`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/gu, '[^/]+')}$`, 'u');
}
