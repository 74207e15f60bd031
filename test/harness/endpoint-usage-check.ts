/** Checks after the flow tests of a file that everything happened that docs/api-coverage.md says of it. */
import { basename } from 'node:path';
import { onPress } from '@proofdesk/slack-sandbox/testing';
import { afterAll, afterEach, expect } from 'vitest';
import { endpointUsages } from '../../scripts/docs/endpoint-usage.ts';
import { noteLabel, recorded } from './endpoint-usage.ts';

// Vitest runs this setup again for each test file, and an earlier file in the same worker has left its records.
for (const set of Object.values(recorded)) set.clear();

onPress(noteLabel);

let file: Ran | undefined;
afterEach(({ task }) => {
  file = task.file;
});

/**
 * After the flow tests of a file, everything must have happened that docs/api-coverage.md says this file shows. Checked
 * only if all tests ran and passed: otherwise they themselves show what is wrong.
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
      // A menu entry is identified by its label and the id of the menu.
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
