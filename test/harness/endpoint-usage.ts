/**
 * Records how the flow tests of a file use the marketplace's endpoints: which were called successfully, from which
 * command, click, form or job, and under which labels (checked by endpoint-usage-check.ts).
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

/** What started the running code. */
const source = new AsyncLocalStorage<string>();

/** Starts tracking calls. Benchmarks share this file but do not start it, because it costs time. */
export function startFollowing(): void {
  source.enterWith('nothing');
}

/** Records which endpoints were called successfully, from a marketplace's log. */
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
 * Tracks the bot through its log. Each line is written by the code that it describes, so a line that starts some work marks
 * everything that this code calls, even later, including requests to the marketplace.
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

/** Records the label of a pressed element or a chosen menu entry. */
export function noteLabel(element: Readonly<Record<string, unknown>>, option?: unknown): void {
  const text = option ?? (element.text as { readonly text?: string } | undefined)?.text;
  if (typeof text === 'string') recorded.labels.add(`${String(element.action_id)} ${text}`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/gu, '.+')}$`, 'u');
}
