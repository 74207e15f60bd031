import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import type { Drawn, View } from '../../gallery/entry.ts';
import { checkMessage, checkView, isTooLong } from '../../src/sandbox/slack/blockkit/index.ts';
import type { Message } from '../../src/slack/blocks.ts';
import { harmsIn } from '../harness/untrusted-text.ts';
import { viewFunctions, viewsIn } from './gallery-views.ts';

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
      expect([...problemsOf(drawn), ...harmsIn(drawn)]).toEqual([]);
    },
  );
});

function problemsOf(drawn: Drawn): unknown[] {
  if ('type' in drawn) {
    const size = JSON.stringify(drawn).length;
    return [...checkView(drawn, () => true), ...(size > 250_000 ? [`the view has ${size} characters`] : [])];
  }
  return [
    ...checkMessage(drawn.blocks, () => true),
    ...(isTooLong(drawn.blocks) ? ['the blocks show more text than a message may hold'] : []),
    ...problemsOfText(drawn),
  ];
}

/** The text stands alone in notifications, and for screen readers. */
function problemsOfText({ text }: Message): string[] {
  const length = [...text].length;
  return length > 4_000 || text.trim() === '' ? [`the text has ${length} characters`] : [];
}

describe('the search for views', () => {
  test.each([
    ['a function', 'export function a(): Message {\n}'],
    ['parameters over several lines', 'export function a(\n  b: { c: () => void },\n): ModalView {\n}'],
    ['destructured parameters', 'export function a({ b }: { b: string }): HomeView {\n}'],
    ['an arrow function', 'export const a = (b: string): Message => ({ b });'],
    ['undefined at times', 'export function a(): Message | undefined {\n}'],
    [
      'a type of the file',
      'export interface Both {\n  readonly view: ModalView;\n}\nexport function a(): Both {\n}',
    ],
  ])('finds %s', (_, text) => {
    expect(viewsIn('src/features/x/x.view.ts', text).map(({ name }) => name)).toEqual(['a']);
  });

  test('finds no wording, and no blocks alone', () => {
    const text =
      'export function a(): string {\n}\nexport const b = "c";\nexport function d(): KnownBlock[] {\n}';
    expect(viewsIn('src/features/x/x.view.ts', text)).toEqual([]);
  });

  test('refuses a view without a type, which could hide what it draws', () => {
    expect(() => viewsIn('src/features/x/x.view.ts', 'export function a() {\n  return modal();\n}')).toThrow(
      'a does not say what it returns',
    );
  });
});
