import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const folder = join(import.meta.dirname, 'defects');

/** A deliberate defect: a patch whose first two lines say what it breaks, and what finds it. */
export interface Defect {
  readonly name: string;
  readonly path: string;
  readonly breaks: string;
  /** A test file, or the chaos run. */
  readonly finder: string;
}

export const chaosRun = 'the chaos run';

/** Options with which `git apply` finds the place of a patch even if lines around it have moved or changed. */
export const applyOptions = ['--recount', '-C1'] as const;

/** The days with which the chaos run looks for a defect, one after the other until it finds something. */
const seeds = ['7', '4', '8'];

/** Returns all defects, by name. */
export async function loadDefects(): Promise<Defect[]> {
  const files = (await readdir(folder)).sort();
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      const [breaks = '', second = ''] = (await readFile(path, 'utf8')).split('\n');
      return { name: basename(file, '.patch'), path, breaks, finder: second.replace(/^Found by /, '') };
    }),
  );
}

/**
 * Plants each defect in a copy of the project, and runs what must find it. Returns whether each was found.
 * @param names parts of the names of those to plant; none: all
 */
export async function runDefects(names: readonly string[], print: (line: string) => void): Promise<boolean> {
  const defects = (await loadDefects()).filter(
    ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
  );
  const copy = await copyProject();
  let left = defects.length;
  try {
    for (const { name, path, breaks, finder } of defects) {
      await apply(copy, path);
      const found = finder === chaosRun ? await findByChaos(copy) : await findByTest(copy, finder);
      await apply(copy, path, '--reverse');
      if (found !== undefined) left -= 1;
      print(`${name}: ${breaks} Found by ${found ?? 'NOTHING'}`);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  print(`${defects.length - left} of ${defects.length} defects were found.`);
  return left === 0;
}

/** Copies the project's files to a temporary folder, without build results, packages and data. */
async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'proofdesk-defects-'));
  const skipped = new Set(['.git', '.cache', 'node_modules', 'data', 'dist']);
  await cp(root, copy, {
    recursive: true,
    filter: (source) => !skipped.has(relative(root, source).split('/')[0] ?? ''),
  });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function apply(copy: string, patch: string, ...options: readonly string[]): Promise<void> {
  const { code, output } = await run('git', ['apply', ...applyOptions, ...options, patch], copy);
  if (code !== 0) throw new Error(`${basename(patch)} does not apply: ${output}`);
}

/** Lives through some days. Returns the promises that were broken; undefined if none was. */
async function findByChaos(copy: string): Promise<string | undefined> {
  for (const seed of seeds) {
    const args = ['--import', 'tsx', join(copy, 'test/chaos/cli.ts'), '--seed', seed];
    const { code, output } = await run(process.execPath, args, copy);
    const counts = /^Findings: (.*)$/m.exec(output)?.[1]?.split(' · ') ?? [lastLine(output)];
    const found = counts.filter((count) => !count.endsWith(' 0'));
    if (code !== 0) return `the chaos run, seed ${seed}: ${found.join(', ')}`;
  }
  return undefined;
}

/** Runs the tests of a file. Returns the name of the first one that fails; undefined if all pass. */
async function findByTest(copy: string, file: string): Promise<string | undefined> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const { code, output } = await run(process.execPath, [vitest, 'run', '--reporter=dot', file], copy);
  if (code === 0) return undefined;
  return / FAIL\s+(?:\|\w+\| )?(.*)$/m.exec(output)?.[1] ?? `${file}: ${lastLine(output)}`;
}

const lastLine = (output: string) => output.trimEnd().split('\n').at(-1) ?? '';

async function run(command: string, args: readonly string[], cwd: string) {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString();
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
