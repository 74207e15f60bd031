import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyOptions, chaosRun, loadDefects, root } from './defects.ts';

const defects = await loadDefects();

test('there are 20 defects or more, and each says what it breaks and what finds it', () => {
  expect(defects.length).toBeGreaterThanOrEqual(20);
  for (const { name, breaks, finder } of defects) {
    expect(breaks, name).toMatch(/^[A-Z].*\.$/);
    expect(finder === chaosRun || existsSync(join(root, finder)), `${name}: found by ${finder}`).toBe(true);
  }
});

test.each(defects.map(({ name, path }) => [name, path]))('%s can be applied to the project', (_, path) => {
  const applied = spawnSync('git', ['apply', '--check', ...applyOptions, path], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(applied.stderr).toBe('');
  expect(applied.status).toBe(0);
});
