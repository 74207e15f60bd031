import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import type { View } from '../../gallery/entry.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';
import { harmsIn } from '../harness/untrusted-text.ts';
import { viewFunctions } from './gallery-views.ts';

const root = join(import.meta.dirname, '../..');

test('every view has an entry', async () => {
  const views = viewFunctions();
  expect(views.length).toBeGreaterThan(50);
  const covered = new Set<View>(entries.flatMap(({ covers }) => covers));
  const missing = await Promise.all(
    views.map(async ({ path, name }) => {
      const module = (await import(join(root, path))) as Record<string, View>;
      const view = module[name];
      return view !== undefined && covered.has(view) ? [] : [`${path}: ${name}`];
    }),
  );
  expect(missing.flat()).toEqual([]);
});

test('each entry is found by its feature and title', () => {
  const names = entries.map(({ feature, title }) => `${feature}: ${title}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => name.endsWith(': '))).toEqual([]);
});

describe('Slack takes it, and nothing that workers wrote pings, links, hides or reorders in it', () => {
  test.each(entries.map((entry) => [`${entry.feature}: ${entry.title}`, entry] as const))(
    '%s',
    (_, entry) => {
      const drawn = entry.make();
      expect([...slackProblemsOf(drawn), ...harmsIn(drawn)]).toEqual([]);
    },
  );
});
