import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('every benchmark has its section in docs/performance.md, and each section its benchmark', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/performance.md'), 'utf8');
  const sections = [...page.matchAll(/^## (.+)$/gmu)].map(([, name]) => name);
  const files = await readdir(join(import.meta.dirname, '../../bench'));
  const names = files.flatMap((file) => (file.endsWith('.bench.ts') ? [file.replace('.bench.ts', '')] : []));
  expect(new Set(sections)).toEqual(new Set(names));
  expect(sections).toHaveLength(names.length);
});
