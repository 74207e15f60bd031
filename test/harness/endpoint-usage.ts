/**
 * What the flow tests of a file show of the marketplace's endpoints: which were asked for with success, from which
 * command, click, form or job, and under which labels people saw those (checked by endpoint-usage-check.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { endpoints } from '../../src/marketplace/endpoints.ts';

export const recorded = {
  /** Endpoints. */
  reached: new Set<string>(),
  /** `<endpoint> <source>`: see {@link noteLogLine}. */
  requested: new Set<string>(),
  /** `<action or form> <label>`. */
  labels: new Set<string>(),
};

/** What the code that runs right now was started by. */
const source = new AsyncLocalStorage<string>();

/** Begins to follow what calls what. That costs time: benchmarks share this file and do not begin. */
export function startFollowing(): void {
  source.enterWith('nothing');
}

/** Records which endpoints a marketplace was asked for with success, from its log. */
export function noteReached(
  requests: readonly { readonly method: string; readonly path: string; readonly applied: boolean }[],
): void {
  for (const { method, path } of requests.filter(({ applied }) => applied)) {
    const found = Object.values(endpoints).find(
      (endpoint) => endpoint.method === method && patternOf(endpoint.path).test(path),
    );
    if (found !== undefined) recorded.reached.add(found.name);
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
      recorded.requested.add(`${entry.endpoint} ${source.getStore()}`);
  }
}

/** Records what a person reads on what they press, or chooses in a menu. */
export function noteLabel(element: Readonly<Record<string, unknown>>, option?: unknown): void {
  const text = option ?? (element.text as { readonly text?: string } | undefined)?.text;
  if (typeof text === 'string') recorded.labels.add(`${String(element.action_id)} ${text}`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/gu, '.+')}$`, 'u');
}
