import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const documents = ['.', 'docs', 'docs/adr', '.github']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.md'));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe.each(documents)('%s', (document) => {
  const text = read(document);

  test('links to files that exist', () => {
    const links = all(text, /\]\(([^)#:]+)(?:#[^)]*)?\)/g);
    expect(links.filter((link) => !existsSync(join(root, dirname(document), link)))).toEqual([]);
  });

  test('names commands that exist', () => {
    expect(all(text, /npm run (?:--silent )?([\w:]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('the text that CONTRIBUTING.md says to look for is in the source', () => {
  const [wanted = ''] = all(read('CONTRIBUTING.md'), /git grep -n '([^']+)'/g);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const views = sources.filter((path) => path.endsWith('.view.ts'));
  expect(views.filter((path) => read(join('src', path)).includes(wanted))).toHaveLength(1);
});

test.each(readdirSync(join(root, '.cspell')))('the words of .cspell/%s are sorted', (name) => {
  const words = read(join('.cspell', name)).trimEnd().split('\n').slice(1);
  expect(words).toEqual([...new Set(words)].toSorted());
});
