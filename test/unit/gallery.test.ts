import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import type { View } from '../../gallery/entry.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';
import { harmsIn } from '../harness/untrusted-text.ts';

const root = join(import.meta.dirname, '../..');

/** Returns the exported functions of a file that give a message, a modal or a home tab, by the types in it. */
function viewsIn(path: string): { path: string; name: string }[] {
  const text = readFileSync(join(root, path), 'utf8');
  return parseAst(text, { lang: 'ts' }).body.flatMap((node) => {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : null;
    const made = declared?.type === 'VariableDeclaration' ? declared.declarations[0] : undefined;
    const drawing = made?.init?.type === 'ArrowFunctionExpression' ? made.init : declared;
    if (drawing?.type !== 'ArrowFunctionExpression' && drawing?.type !== 'FunctionDeclaration') return [];
    const { start = 0, end = 0 } = drawing.returnType ?? {};
    const returns = text.slice(start, end);
    if (returns === '' && path.endsWith('.view.ts')) throw new Error(`${path} has a view without a type`);
    const id = made?.id ?? ('id' in drawing ? drawing.id : null);
    const isView = /\b(Message|ModalView|HomeView)\b/.test(returns) && !returns.includes('Promise<');
    return isView && id?.type === 'Identifier' ? [{ path, name: id.name }] : [];
  });
}

test('every view has an entry', async () => {
  const files = ['src/slack', 'src/features'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  // The pieces of which views are made are no views.
  const sources = files.filter((path) => path.endsWith('.ts') && path !== 'src/slack/blocks.ts');
  const views = sources.flatMap(viewsIn);
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

test('each entry shows what test/baseline shows', () => {
  const drawing = ['--import', 'tsx', 'scripts/baseline.ts', 'gallery'];
  const { stdout, status } = spawnSync(process.execPath, drawing, { cwd: root, encoding: 'utf8' });
  expect(status, stdout).toBe(0);
}, 60_000);

describe('Slack takes it, and nothing that workers wrote pings, links, hides or reorders in it', () => {
  test.each(entries.map((entry) => [`${entry.feature}: ${entry.title}`, entry] as const))(
    '%s',
    (_, entry) => {
      const drawn = entry.make();
      expect([...slackProblemsOf(drawn), ...harmsIn(drawn)]).toEqual([]);
    },
  );
});
