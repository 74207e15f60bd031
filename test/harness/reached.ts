import { basename } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { endpointUsage } from '../../scripts/docs/endpoint-usage.ts';
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

let file: Ran | undefined;
afterEach(({ task }) => {
  file = task.file;
});

/**
 * After the flow tests of a file: those endpoints for which docs/api-coverage.md names this file must have been asked
 * for. Only when all of its tests ran and held: otherwise they say themselves what is wrong.
 */
afterAll(() => {
  if (file?.filepath?.includes('/test/flows/') !== true || !allPassed(file)) return;
  const name = basename(file.filepath);
  const promised = Object.entries(endpointUsage).filter(([, { flows }]) => flows.includes(name));
  expect([...reached], 'docs/api-coverage.md names this file for these').toEqual(
    expect.arrayContaining(promised.map(([endpoint]) => endpoint)),
  );
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
