import { basename } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { places } from '../../scripts/docs/places.ts';
import { takeReached } from './reached.ts';

// Vitest runs this module anew for each test file; a file before it in the same worker may have left some.
takeReached();

let file: Ran | undefined;
afterEach(({ task }) => {
  file = task.file;
});

/**
 * After the flow tests of a file: those endpoints for which docs/api-coverage.md names this file must have been asked
 * for. Only when all of its tests ran and passed: otherwise they say themselves what is wrong.
 */
afterAll(() => {
  if (file?.filepath?.includes('/test/flows/') !== true || !allPassed(file)) return;
  const name = basename(file.filepath);
  const promised = Object.entries(places).filter(([, { flows }]) => flows.includes(name));
  expect(takeReached(), 'docs/api-coverage.md names this file for these').toEqual(
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
