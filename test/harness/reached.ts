import { endpoints } from '../../src/marketplace/endpoints.ts';

const reached = new Set<string>();

/** Notes which endpoints a marketplace was asked for with success, from its log. */
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

/** Returns the names of the endpoints noted since the last call. */
export function takeReached(): string[] {
  const names = [...reached];
  reached.clear();
  return names;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/gu, '.+')}$`, 'u');
}
