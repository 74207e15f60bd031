import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyOf } from '../../src/domain/index-changes.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/retention.md'), 'utf8');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox'))
  .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
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
