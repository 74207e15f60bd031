/**
 * What the flow tests of a file show of the marketplace's endpoints: which were asked for with success, from which
 * command, click, form or job, and under which labels people saw those. docs/api-coverage.md claims that and no more.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { basename } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { endpointUsages } from '../../scripts/docs/endpoint-usage.ts';
import { endpoints } from '../../src/marketplace/endpoints.ts';

const reached = new Set<string>();
/** `<endpoint> <source>`: see {@link noteLogLine}. */
const requested = new Set<string>();
/** `<action or form> <label>`. */
const labels = new Set<string>();

/** What the code that runs right now was started by. */
const source = new AsyncLocalStorage<string>();

/** Records which endpoints a marketplace was asked for with success, from its log. */
export function noteReached(
  requests: readonly { readonly method: string; readonly path: string; readonly applied: boolean }[],
): void {
  for (const { method, path } of requests.filter(({ applied }) => applied)) {
    const found = Object.values(endpoints).find(
      (endpoint) => endpoint.method === method && patternOf(endpoint.path).test(path),
    );
    if (found !== undefined) reached.add(found.name);
  }
}

/**
 * Follows the bot through its log. A line is written by the very code that it speaks of: what starts some work marks
 * everything that this code calls, also later, and a request to the marketplace carries that mark.
 */
export function noteLogLine(line: string): void {
  if (!/"(?:interaction received|command routed|job started|marketplace request)"/u.test(line)) return;
  const entry = JSON.parse(line) as Readonly<Record<string, string>>;
  switch (entry.msg) {
    case 'interaction received':
      source.enterWith(String(entry.what));
      break;
    case 'command routed':
      source.enterWith(`${entry.command} ${entry.word}`.trim());
      break;
    case 'job started':
      source.enterWith(`job ${entry.job}`);
      break;
    default:
      requested.add(`${entry.endpoint} ${source.getStore() ?? 'nothing'}`);
  }
}

/** Records what a person reads on what they press, or chooses in a menu. */
export function noteLabel(element: Readonly<Record<string, unknown>>, option?: unknown): void {
  const text = option ?? (element.text as { readonly text?: string } | undefined)?.text;
  if (typeof text === 'string') labels.add(`${String(element.action_id)} ${text}`);
}

let file: Ran | undefined;
afterEach(({ task }) => {
  file = task.file;
});

/**
 * After the flow tests of a file: what docs/api-coverage.md says that this file shows must have happened. Only when all
 * of its tests ran and passed: otherwise they say themselves what is wrong.
 */
afterAll(() => {
  if (file?.filepath?.includes('/test/flows/') !== true || !allPassed(file)) return;
  const name = basename(file.filepath, '.test.ts');
  for (const [endpoint, { sources }] of Object.entries(endpointUsages)) {
    const shown = sources.filter(({ flows }) => flows.includes(name));
    if (shown.length > 0) expect([...reached], 'asked for with success').toContain(endpoint);
    for (const { kind, id, label } of shown) {
      expect([...requested], 'asked for from there').toContain(
        `${endpoint} ${kind === 'job' ? `job ${id}` : id}`,
      );
      // An entry of a menu is chosen by what it reads, under the id of the menu.
      const pressed = kind === 'menu' ? id.replace(/\.[^.]+$/u, '') : id;
      if (label !== undefined) expect([...labels], 'pressed').toContain(`${pressed} ${label}`);
    }
  }
});

interface Ran {
  readonly mode: string;
  readonly filepath?: string;
  readonly result?: { readonly state: string };
  readonly tasks?: readonly Ran[];
}

function allPassed({ mode, result, tasks }: Ran): boolean {
  return tasks ? tasks.every(allPassed) : mode === 'run' && result?.state === 'pass';
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/gu, '.+')}$`, 'u');
}
