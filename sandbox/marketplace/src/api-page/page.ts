/** The page for trying each call: a form per operation, generated from the OpenAPI document. page.js sends the requests. */

/** The part of a schema that form fields use. */
interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
  readonly default?: string | number;
  readonly examples?: readonly string[];
  readonly items?: FieldSchema;
  readonly contentMediaType?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: FieldSchema;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: {
            readonly properties: Readonly<Record<string, FieldSchema>>;
            readonly required?: readonly string[];
          };
        }
      >
    >;
  };
}

interface Refusal {
  readonly allOf?: readonly {
    readonly properties?: Readonly<Record<string, FieldSchema>>;
  }[];
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Refusal>> };
}

interface Field {
  readonly name: string;
  readonly location: 'path' | 'query' | 'body';
  readonly required: boolean;
  readonly description: string;
  readonly schema: FieldSchema;
}

/** Returns the whole page as HTML. */
export function pageOf(
  document: OpenApiDocument,
  {
    keyHeader,
    keys,
  }: { keyHeader: string; keys: readonly { readonly key: string; readonly label: string }[] },
): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = document.tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag.name));
    return `<section><h2>${text(tag.name)}</h2><p>${text(tag.description)}</p>${own
      .map((one) => operationHtml(one, document))
      .join('')}</section>`;
  });
  const links = operations.map(
    ({ operation, method }) =>
      `<li><a href="#${operation.operationId}"><span class="method ${method}">${method}</span> ${text(operation.summary)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(document.info.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/_sandbox/api/page.css">
<script src="/_sandbox/api/page.js" defer></script>
</head>
<body data-key-header="${text(keyHeader)}">
<header>
<h1>${text(document.info.title)}</h1>
<p>Every call here goes to the sandbox that serves this page, and changes only its world. The same for machines: <a href="/_sandbox/openapi.json">openapi.json</a>.</p>
<label>${text(keyHeader)} <input id="key" list="keys" value="${text(keys[0]?.key ?? '')}" autocomplete="off" spellcheck="false"></label>
<datalist id="keys">${keys.map(({ key, label }) => `<option value="${text(key)}">${text(label)}</option>`).join('')}</datalist>
</header>
<nav aria-label="Operations"><ul>${links.join('')}</ul></nav>
<main>${sections.join('')}</main>
</body>
</html>
`;
}

function operationHtml(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  document: OpenApiDocument,
): string {
  const [encoding = ''] = Object.keys(operation.requestBody?.content ?? {});
  const errors = errorsOf(document, operation);
  return `<details id="${operation.operationId}">
<summary><span class="method ${method}">${method}</span> <code>${text(path)}</code> <span class="title">${text(operation.summary)}</span></summary>
<form data-method="${method}" data-path="${text(path)}" data-encoding="${encoding}">
<p>${prose(operation.description)}</p>
${fieldsOf(operation).map(fieldHtml).join('')}
<button type="submit">Send</button>
<div class="answer" role="status" hidden></div>
${errors.length === 0 ? '' : `<p class="errors">Errors: ${errors.map((one) => `<code>${text(one)}</code>`).join(' ')}</p>`}
</form>
</details>`;
}

function fieldsOf(operation: Operation): Field[] {
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const { properties = {}, required = [] } = content?.schema ?? {};
  return [
    ...operation.parameters.map((one) => ({
      name: one.name,
      location: one.in,
      required: one.required === true,
      description: one.description ?? '',
      schema: one.schema,
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      location: 'body' as const,
      required: required.includes(name),
      description: schema.description ?? '',
      schema,
    })),
  ];
}

function fieldHtml(field: Field): string {
  const { name, location, required, description, schema } = field;
  const many = schema.type === 'array';
  const hint = [description, many ? 'One value per line.' : ''].filter((one) => one !== '').join(' ');
  return `<label><span>${text(name)}${required ? ' <em>required</em>' : ''}</span>${inputHtml(
    `name="${text(name)}" data-location="${location}"${location === 'path' ? ' required' : ''}`,
    schema,
  )}${hint === '' ? '' : `<small>${prose(hint)}</small>`}</label>`;
}

function inputHtml(attributes: string, schema: FieldSchema): string {
  if (schema.type === 'array') {
    const values = schema.items?.enum ?? [];
    return `<textarea ${attributes} data-many rows="2" placeholder="${text(values.join(' or '))}"></textarea>`;
  }
  if (schema.contentMediaType !== undefined) return `<input ${attributes} type="file">`;
  if (schema.enum !== undefined) {
    const options = schema.enum
      .filter((value) => value !== '')
      .map((value) => `<option>${text(String(value))}</option>`);
    return `<select ${attributes}><option value="">–</option>${options.join('')}</select>`;
  }
  // Numbers are free text too, so that people can try how the service answers invalid values.
  const example = schema.examples?.[0] ?? schema.default ?? '';
  return `<input ${attributes} type="text" placeholder="${text(String(example))}" autocomplete="off" spellcheck="false">`;
}

/** Returns the error texts that the document lists for this operation. */
function errorsOf(document: OpenApiDocument, { operationId }: Operation): string[] {
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Refusal`;
  const properties = (document.components.schemas[name]?.allOf ?? []).flatMap((part) =>
    Object.values(part.properties ?? {}),
  );
  return properties.flatMap(({ examples = [], items }) => [...examples, ...(items?.examples ?? [])]);
}

/** Renders text that contains `code`. */
function prose(value: string): string {
  return text(value).replace(/`([^`]+)`/gu, '<code>$1</code>');
}

function text(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
