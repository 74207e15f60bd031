import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('data are stored in the form of 0.1.0, which test/baseline shows, and read from it', () => {
  const storing = ['--import', 'tsx', 'scripts/baseline.ts', 'stored'];
  const cwd = join(import.meta.dirname, '../..');
  const { stdout, stderr, status } = spawnSync(process.execPath, storing, { cwd, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
});
