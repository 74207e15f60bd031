import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../src/domain/index-changes.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folders = ['.', 'docs', 'docs/adr', '.github', 'desk', 'src/marketplace'];
const documents = [...folders, 'sandbox/slack', 'sandbox/marketplace']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.md'));
const { scripts, dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
  'scripts' | 'dependencies' | 'optionalDependencies',
  Record<string, string>
>;

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe.each(documents)('%s', (document) => {
  const text = read(document);

  test('links to files that exist', () => {
    const links = all(text, /\]\(([^)#:]+)(?:#[^)]*)?\)/g);
    expect(links.filter((link) => !existsSync(join(root, dirname(document), link)))).toEqual([]);
  });

  test('names files that exist', () => {
    const names = all(text, /(?<![\w./-])((?:src|test|gallery|scripts|bench|examples|docs)\/[\w./-]+\.\w+)/g);
    const places = [root, join(root, dirname(document))];
    expect(names.filter((name) => !places.some((place) => existsSync(join(place, name))))).toEqual([]);
  });

  test('names commands that exist', () => {
    expect(all(text, /npm run (?:--silent )?([\w:]+)/g).filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('the documents can be read: at most 30,000 words, 15 decision records, and 40 lines for agents', () => {
  const own = documents.filter((path) => !path.startsWith('src') && !path.startsWith('.github'));
  expect(own.flatMap((path) => read(path).split(/\s+/).filter(Boolean)).length).toBeLessThanOrEqual(30_000);
  expect(readdirSync(join(root, 'docs/adr')).length).toBeLessThanOrEqual(15);
  expect(read('AGENTS.md').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});

const journeys = read('ARCHITECTURE.md')
  .split('\n### ')
  .map((section) => ({
    title: section.split('\n', 1)[0],
    diagram: section.split('```mermaid\n')[1]?.split('```')[0] ?? '',
  }))
  .filter(({ diagram }) => diagram !== '');

test('ARCHITECTURE.md draws three journeys', () => {
  const titles = journeys.map(({ title }) => title);
  expect(titles).toEqual(['New task to card', 'Click to rating', 'Command to form to result']);
});

describe.each(journeys)('$title', ({ diagram }) => {
  const stops = [...diagram.matchAll(/^ {2}s(\d+)\["(\d+) · ([^<"]+)/gm)];

  test('has at most 15 stops, numbered in their order', () => {
    const order = stops.map((_, index) => String(index + 1));
    expect(order.length).toBeGreaterThan(1);
    expect(order.length).toBeLessThanOrEqual(15);
    expect(stops.map(([, id]) => id)).toEqual(order);
    expect(stops.map(([, , shown]) => shown)).toEqual(order);
  });

  test('names a file that exists at every stop', () => {
    const files = stops.map(([, , , file = '']) => file);
    expect(files.filter((file) => !/^src\/.+\.ts$/.test(file) || !existsSync(join(root, file)))).toEqual([]);
  });

  test('leads from each stop to the next', () => {
    const arrows = all(diagram, /(s\d+(?: (?:-- "[^"]+" )?--> s\d+)+)/g).flatMap((chain) => {
      const ids = chain.match(/s\d+/g) ?? [];
      return ids.slice(1).map((to, index) => `${ids[index]} ${to}`);
    });
    const wanted = stops.slice(1).map((_, index) => `s${index + 1} s${index + 2}`);
    expect(wanted.filter((arrow) => !arrows.includes(arrow))).toEqual([]);
  });
});

test('ARCHITECTURE.md explains every runtime dependency, and no other', () => {
  const [, table = ''] = read('ARCHITECTURE.md').split('## Runtime dependencies');
  const rows = all(table, /^\| ([@a-z].*?) \|/gm).flatMap((names) => names.split(', '));
  const wanted = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(rows.toSorted()).toEqual(wanted.toSorted());
});

test('the line that CONTRIBUTING.md adds a button to is in the source', () => {
  const [line = ''] = /^ {2}const buttons = .*$/m.exec(read('CONTRIBUTING.md')) ?? [];
  expect(line).toMatch(/, button\(.*\)\];$/);
  expect(read('src/features/cards/modals.view.ts')).toContain(line.replace(/, button\(.*\)\];$/, '];'));
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

const threatModel = read('docs/security.md');
const named = [...threatModel.matchAll(/`(test\/[\w/.-]+\.ts)` > “([^”]+)”/g)].map(
  ([, file = '', name = '']) => ({ file, name }),
);

test('docs/security.md names tests that exist', () => {
  expect(named.length).toBeGreaterThan(20);
  const isThere = (file: string) => existsSync(join(root, file));
  const missing = named.filter(({ file, name }) => !isThere(file) || !read(file).includes(name));
  expect(missing).toEqual([]);
});

test('every threat has a test', () => {
  const [, threats = ''] = threatModel.split('## Threats');
  const [tables = ''] = threats.split('\n## ');
  const rows = tables.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Threat'));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !/`test\/[^`]+` > “/.test(row))).toEqual([]);
});

const page = read('docs/retention.md');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox'))
  .map((path) => read(join('src', path)))
  .join('\n');

/** What the code names in Redis, as the page writes it. */
function namedKeys(): string[] {
  const found = new Set<string>();
  const calls = /\b(workspace|account)Key\(\s*(?:\w+(?:\.\w+)*|\{ workspace, account \}),\s*'([\w-]+)'/g;
  for (const [, scope, name] of sources.matchAll(calls)) found.add(`{${scope}}:${name}`);
  for (const [, name] of sources.matchAll(/\btrailKey\(\w+, '([\w-]+)'/g))
    for (const scope of ['workspace', 'account']) found.add(`{${scope}}:${name}`);
  for (const key of Object.values(keyOf)) {
    const [name] = (typeof key === 'string' ? key : (key as (...parts: string[]) => string)('')).split(':');
    found.add(`{account}:${name}`);
  }
  // Records have a key each, named after their codec, and sets under the plural.
  for (const [, codec] of sources.matchAll(/\bcodec: (\w+),\s*(?:id|after):/g)) {
    const [, name] = new RegExp(`\\b${codec} = createCodec\\('([\\w-]+)'`).exec(sources) ?? [];
    found.add(`{account}:${name}`);
    found.add(`{account}:${name}s`);
  }
  for (const [, name = ''] of sources.matchAll(/=>? `\$\{root\}((?:\{app\}:)?[\w-]+)[`:]/g)) found.add(name);
  return [...found].toSorted();
}

test('docs/retention.md says of everything in Redis what it is and how long it stays', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const described = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, key]) => key),
  );
  expect(namedKeys().length).toBeGreaterThan(40);
  expect(namedKeys().filter((key) => !described.includes(key))).toEqual([]);
  expect(described.filter((key) => key !== '{proofdesk:…}' && !namedKeys().includes(key ?? ''))).toEqual([]);
});
