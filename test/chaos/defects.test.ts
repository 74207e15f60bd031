import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyOptions, brokenPromises, defectsTable, loadDefects, root } from './defects.ts';

const defects = await loadDefects();

test('there are 40 defects or more, at least two of each promise, and each says what it breaks and what finds it', () => {
  expect(defects.length).toBeGreaterThanOrEqual(40);
  for (const { name, breaks, promise } of defects) {
    expect(breaks, name).toMatch(/^[A-Z].*\.$/);
    expect(brokenPromises, name).toContain(promise);
  }
  for (const promise of brokenPromises)
    expect(defects.filter((one) => one.promise === promise).length, promise).toBeGreaterThanOrEqual(2);
});

test('each is found by a test that exists, but for at most three by the chaos run', () => {
  const tests = defects.flatMap(({ name, finder }) => ('file' in finder ? [{ name, ...finder }] : []));
  expect(defects.length - tests.length).toBeLessThanOrEqual(3);
  for (const { name, file, test = '' } of tests)
    expect(readFileSync(join(root, file), 'utf8').includes(test), `${name}: found by ${file} > ${test}`).toBe(
      true,
    );
});

test('docs/reliability.md lists them', () => {
  expect(readFileSync(join(root, 'docs/reliability.md'), 'utf8')).toContain(defectsTable(defects));
});

test.each(defects.map(({ name, path }) => [name, path]))('%s can be applied to the project', (_, path) => {
  const applied = spawnSync('git', ['apply', '--check', ...applyOptions, path], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(applied.stderr).toBe('');
  expect(applied.status).toBe(0);
});
