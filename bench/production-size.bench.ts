import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { report } from './report.ts';

// What the image installs: the production modules, without optional ones, as they lie on the disk.

const most = 60;
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'proofdesk-size-'));
try {
  for (const file of ['package.json', 'package-lock.json']) await copyFile(file, join(folder, file));
  const args = ['install', '--no-save', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit'];
  await run('npm', [...args, '--no-fund', '--loglevel=error'], { cwd: folder });
  const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: folder });
  report({
    what: 'Production modules without optional ones',
    against: 'a megabyte',
    value: Number.parseInt(stdout, 10),
    most,
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
