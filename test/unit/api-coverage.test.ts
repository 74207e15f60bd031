import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coverageMarkdown } from '../../scripts/docs/coverage.ts';
import { type Place, places } from '../../scripts/docs/places.ts';
import { catalogue } from '../../src/jobs/catalogue.ts';
import { endpoints } from '../../src/marketplace/endpoints.ts';
import { knownErrors } from '../../src/marketplace/index.ts';
import { endpoints as routes } from '../../src/sandbox/marketplace/index.ts';
import { commandTable } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../harness/features.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { features, handlers } = idleFeatures();

const commands = commandTable(features).map(({ command, word }) => `${command} ${word}`.trim());
const clicks = features.flatMap((feature) => [
  ...Object.keys(feature.clicks ?? {}),
  ...Object.keys(feature.submissions ?? {}),
]);
const shortcuts = features.flatMap((feature) => Object.keys(feature.shortcuts ?? {}));

/** The source of a feature, all its files in one. */
function sourceOf(feature: string): string {
  const folder = join(root, 'src/features', feature);
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

describe.each(Object.entries<Place>(places))('%s', (endpoint, place) => {
  test('can be reached in Slack, by what the features really offer', () => {
    const { commands: words = [], clicks: ids = {}, shortcuts: callbacks = [], jobs = {} } = place;
    expect(
      words.length + Object.keys(ids).length + callbacks.length,
      'a place where somebody asks for it',
    ).toBeGreaterThan(0);
    expect(commands).toEqual(expect.arrayContaining([...words]));
    expect(clicks).toEqual(expect.arrayContaining(Object.keys(ids)));
    expect(shortcuts).toEqual(expect.arrayContaining([...callbacks]));
    expect(Object.keys(catalogue)).toEqual(expect.arrayContaining(Object.keys(jobs)));
    expect(Object.keys(handlers)).toEqual(expect.arrayContaining(Object.keys(jobs)));
  });

  test('is called by the features that say so', () => {
    expect(place.features.length).toBeGreaterThan(0);
    expect(place.features.filter((feature) => !calls(feature, endpoint))).toEqual([]);
  });

  test('has a flow test that goes there', () => {
    expect(place.flows.length).toBeGreaterThan(0);
    for (const file of place.flows) {
      // What the file imports makes it fail when it does not reach the endpoint.
      expect(read(`test/flows/${file}`)).toContain('../harness/world.ts');
    }
  });
});

test('every error text of the API stands in the table, with a sentence', () => {
  const rows = read('docs/api-coverage.md').split('\n');
  for (const { texts, code } of knownErrors) {
    const row = rows.find(
      (line) => line.includes(`| \`${code}\` |`) && texts.every((text) => line.includes(text)),
    );
    expect(row?.split(' | ').at(-1), code).toMatch(/^[A-Z].+\. \|$/u);
  }
});
