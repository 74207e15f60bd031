import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const document = read('docs/security.md');
const named = [...document.matchAll(/`(test\/[\w/.-]+\.ts)` > “([^”]+)”/g)].map(
  ([, file = '', name = '']) => ({ file, name }),
);

test('docs/security.md names tests that exist', () => {
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter(
    ({ file, name }) => !existsSync(join(root, file)) || !read(file).includes(name),
  );
  expect(missing).toEqual([]);
});

test('every threat has a test', () => {
  const [, threats = ''] = document.split('## Threats');
  const [tables = ''] = threats.split('\n## ');
  const rows = tables.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Threat'));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !/`test\/[^`]+` > “/.test(row))).toEqual([]);
});
