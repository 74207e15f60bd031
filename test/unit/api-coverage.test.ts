import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints as routes } from '@proofdesk/marketplace-sandbox';
import { describe, expect, test } from 'vitest';
import { coverageMarkdown } from '../../scripts/docs/coverage.ts';
import { type EndpointUsage, endpointUsages, type Source } from '../../scripts/docs/endpoint-usage.ts';
import { catalogue } from '../../src/jobs/catalogue.ts';
import { endpoints } from '../../src/marketplace/endpoints.ts';
import { knownErrors } from '../../src/marketplace/index.ts';
import { commandTable } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../harness/features.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { features, handlers } = idleFeatures();

const commands = commandTable(features).map(({ command, word }) => `${command} ${word}`.trim());
const clicks = features.flatMap((feature) => Object.keys(feature.clicks ?? {}));
const submissions = features.flatMap((feature) => Object.keys(feature.submissions ?? {}));

/** The source of a feature, all its files in one. */
function sourceOf(feature: string): string {
  const folder = join(root, `src/features/${feature}`);
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

const calls = (feature: string, method: string) => new RegExp(`\\.${method}\\(`, 'u').test(sourceOf(feature));

test('docs/api-coverage.md is the one that the code makes', () => {
  expect(read('docs/api-coverage.md'), 'run "npm run docs"').toBe(coverageMarkdown());
});

test('the sandbox has a route for each of the 21 endpoints, and no other', () => {
  const described = Object.values(endpoints).map(
    ({ method, path }) => `${method} ${path.replace(/\{.*\}$/u, ':id')}`,
  );
  expect(routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(described.toSorted());
  expect(routes).toHaveLength(21);
});

const existing: Readonly<Record<Source['kind'], readonly string[]>> = {
  command: commands,
  button: clicks,
  menu: clicks,
  form: submissions,
  job: Object.keys(catalogue).filter((name) => Object.hasOwn(handlers, name)),
};

describe.each(Object.entries<EndpointUsage>(endpointUsages))(
  '%s',
  (endpoint, { features: folders, sources }) => {
    test('is asked for by what the features really offer', () => {
      expect(sources.length).toBeGreaterThan(0);
      for (const { kind, id } of sources) expect(existing[kind], `${kind} ${id}`).toContain(id);
    });

    test('is called by the features that say so', () => {
      expect(folders.length).toBeGreaterThan(0);
      expect(folders.filter((feature) => !calls(feature, endpoint))).toEqual([]);
    });

    test('has flow tests that show each place', () => {
      for (const { id, kind, label, flows } of sources) {
        expect(flows.length, id).toBeGreaterThan(0);
        // What the file imports makes it fail when the endpoint is not asked for from there.
        for (const name of flows)
          expect(read(`test/flows/${name}.test.ts`)).toMatch(/'..\/harness\/worlds?\.ts'/u);
        expect(label !== undefined, id).toBe(['button', 'menu', 'form'].includes(kind));
      }
    });
  },
);

test('every error text of the API stands in the table, with a sentence', () => {
  const rows = read('docs/api-coverage.md').split('\n');
  for (const { text, code } of knownErrors) {
    const row = rows.find((line) => line.includes(`| \`${code}\` |`) && line.includes(text));
    expect(row?.split(' | ').at(-1), code).toMatch(/^[A-Z].+\. \|$/u);
  }
});
