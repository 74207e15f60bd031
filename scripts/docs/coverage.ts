/** docs/api-coverage.md: where this project uses each endpoint of the marketplace, and the error texts for its failures. */
import { readdirSync, readFileSync } from 'node:fs';
import { endpoints as routes } from '@proofdesk/marketplace-sandbox';
import { type Endpoint, endpoints } from '../../src/marketplace/endpoints.ts';
import {
  type ErrorDetails,
  type KnownError,
  knownErrors,
  MarketplaceError,
  type MarketplaceErrorCode,
  sentenceFor,
} from '../../src/marketplace/errors.ts';
import { endpointUsages, type Source } from './endpoint-usage.ts';
import { type Operation, operations } from './operations.ts';

const sandboxFolder = new URL('../../sandbox/marketplace/src/', import.meta.url);

/** Returns the whole document. Throws if the sandbox has no route for an endpoint. */
export function coverageMarkdown(): string {
  return `${[
    '# API coverage',
    'Made from the code by `npm run docs`: do not edit. Tests check all of it but the words that say where a button is or when a job runs. A row names where the bot asks for the endpoint, as far as a flow test shows it: the test fails at its end unless the bot sent the request on behalf of that very command, button, form or job, and unless somebody pressed what reads so. There may be more places.',
    '## Endpoints',
    table(
      [
        '§',
        'Endpoint',
        'Client function',
        'Sandbox route',
        'Asked for by, and the flow test that shows it',
        'Error texts handled',
      ],
      Object.values<Endpoint>(endpoints).map((endpoint, index) => coverageRow(endpoint, index + 1)),
    ),
    'Every endpoint may also be refused with the texts about the key, which stand last below.',
    '## Error texts',
    'Whatever varies in a text is an example here. A text that is not known is shown as it came. That the texts about the key are these is assumed: the description of the API does not have them.',
    table(
      ['Error text', 'Found in', 'Code', 'Sentence'],
      knownErrors.map((error) => [
        code(error.text),
        foundIn[error.group],
        code(error.code),
        sentence(error.code),
      ]),
    ),
    `\`min_payment_per_task\` alone (\`PAYMENT_TOO_LOW\`): ${sentence('PAYMENT_TOO_LOW')}`,
  ].join('\n\n')}\n`;
}

function coverageRow(endpoint: Endpoint, section: number): string[] {
  const name = endpoint.name as keyof typeof endpoints;
  return [
    String(section),
    code(`${endpoint.method} ${endpoint.path}`),
    link(code(endpoint.name), 'src/marketplace/client.ts'),
    sandboxRoute(endpoint),
    endpointUsages[name].sources.map(sourceText).join('; '),
    errorsOf(operations[name]),
  ];
}

/** Returns the sandbox's route as a link to the file that implements it. */
function sandboxRoute({ method, path }: Endpoint): string {
  // The sandbox parses the last part of a path itself.
  const pattern = path.replace(/\{.*\}$/u, ':id');
  const route = routes.find((one) => one.method === method && one.path === pattern);
  const file = readdirSync(sandboxFolder).find(
    (name) =>
      name.endsWith('.ts') && readFileSync(new URL(name, sandboxFolder), 'utf8').includes(`'${pattern}'`),
  );
  if (route === undefined || file === undefined)
    throw new Error(`the sandbox has no route for ${method} ${path}`);
  return link(code(pattern), `sandbox/marketplace/src/${file}`);
}

function sourceText({ kind, id, label, where, flows }: Source): string {
  const what =
    kind === 'job' ? `job ${code(id)}` : label === undefined ? code(id) : `${label} (${kind} ${code(id)})`;
  const tests = flows.map((name) => link(name, `test/flows/${name}.test.ts`)).join(', ');
  return `${what}${where === '' ? '' : `, ${where}`} [${tests}]`;
}

function errorsOf({ errors, entryErrors = [] }: Operation): string {
  const own = knownErrors.filter(({ code: known, group }) =>
    (group === 'task' ? entryErrors : errors).includes(known),
  );
  const texts = own.map(({ text }) => code(text));
  const minimum = errors.includes('PAYMENT_TOO_LOW') ? [code('min_payment_per_task')] : [];
  return [...texts, ...minimum].join(', ') || 'none';
}

const foundIn: Readonly<Record<KnownError['group'], string>> = {
  request: '`error`',
  submit: '`error` of submit_file_proof',
  input: '`errors_list`',
  task: '`errors` of an entry of rate_tasks',
  campaign: '`errors` of new_campaign',
  authentication: 'about the key, anywhere in the answer',
};

const examples: ErrorDetails = {
  nextRetargetAt: new Date(Date.UTC(2026, 0, 31, 9)),
  unknownCountry: 'XX',
  unavailableCountries: ['FR', 'DE'],
};

function sentence(errorCode: MarketplaceErrorCode): string {
  return sentenceFor(
    new MarketplaceError({
      operation: '',
      code: errorCode,
      text: '',
      details: examples,
    }),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function link(text: string, path: string): string {
  return `[${text}](../${path})`;
}

function code(text: string): string {
  return `\`${text}\``;
}
