/** Checks after the flow tests of a file that what docs/api-coverage.md says of it has happened. */
import { basename } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { endpointUsages } from '../../scripts/docs/endpoint-usage.ts';
import { recorded } from './endpoint-usage.ts';

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
    if (shown.length > 0) expect([...recorded.reached], 'asked for with success').toContain(endpoint);
    for (const { kind, id, label } of shown) {
      expect([...recorded.requested], 'asked for from there').toContain(
        `${endpoint} ${kind === 'job' ? `job ${id}` : id}`,
      );
      // An entry of a menu is chosen by what it reads, under the id of the menu.
      const pressed = kind === 'menu' ? id.replace(/\.[^.]+$/u, '') : id;
      if (label !== undefined) expect([...recorded.labels], 'pressed').toContain(`${pressed} ${label}`);
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
