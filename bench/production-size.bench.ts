import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { report } from './report.ts';

// Measures what the image installs: the size on disk of the production modules without optional ones, and of the additional
// ones for pictures.

const most = 60;
const mostForPictures = 40;
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'proofdesk-size-'));
try {
  for (const file of ['package.json', 'package-lock.json']) await copyFile(file, join(folder, file));
  const args = ['install', '--no-save', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];

  /** Returns the size (MB) of the installed modules. */
  async function sizeWith(...more: string[]): Promise<number> {
    await run('npm', [...args, '--loglevel=error', ...more], { cwd: folder });
    const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: folder });
    return Number.parseInt(stdout, 10);
  }
  const without = await sizeWith('--omit=optional');
  report({
    what: 'Production modules without optional ones',
    against: 'a megabyte',
    value: without,
    most,
  });
  report({
    what: 'Optional modules more, for pictures that look the same: sharp',
    against: 'a megabyte',
    value: (await sizeWith()) - without,
    most: mostForPictures,
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
