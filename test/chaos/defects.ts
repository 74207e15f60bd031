import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const folder = join(import.meta.dirname, 'defects');

/** A deliberate defect, as a patch. */
export interface Defect {
  /** The name of its file, without the extension. */
  readonly name: string;
  readonly path: string;
  /** What it breaks: the first line of the file. */
  readonly breaks: string;
  /** What finds it: a test file, or the short run. The second line of the file. */
  readonly finder: string;
}

export const shortRun = 'the short run';

/** Returns all defects, by name. */
export async function loadDefects(): Promise<Defect[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.patch')).sort();
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      const [breaks = '', second = ''] = (await readFile(path, 'utf8')).split('\n');
      return { name: basename(file, '.patch'), path, breaks, finder: second.replace(/^Found by /, '') };
    }),
  );
}

/** Options with which `git apply` locates a patch even if surrounding lines have moved or changed. */
export const applyOptions = ['--recount', '-C1'] as const;

/** The seeds with which the short run looks for a defect, one after the other until it finds something. */
const seeds = [7, 4, 8];
/** How long the run waits for work to end (ms), because a defect may leave work that never does. */
const settleWithinMs = 45_000;

/**
 * Applies each defect to a copy of the project, and runs the test or run that it names. Prints a table of the results.
 * Returns whether every defect was found, and nothing was found without a defect.
 */
export async function runDefects(names: readonly string[], print: (line: string) => void): Promise<boolean> {
  const all = await loadDefects();
  const defects = all.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
  const copy = await copyProject();
  const found = new Map<string, string | undefined>();
  const began = Date.now();
  const say = (line: string) => print(`${((Date.now() - began) / 60_000).toFixed(1)} min  ${line}`);
  try {
    say('without any defect …');
    for (const finder of new Set(defects.map((defect) => defect.finder))) {
      const finding =
        finder === shortRun ? await findByRun(copy, seeds[0] ?? 1) : await findByTest(copy, finder);
      if (finding === undefined) continue;
      say(`${finder} fails without any defect: ${finding}`);
      return false;
    }
    for (const { name, path, breaks, finder } of defects) {
      say(`${name}: ${breaks}`);
      await apply(copy, path);
      const finding = finder === shortRun ? await findBySeeds(copy) : await findByTest(copy, finder);
      await apply(copy, path, ['--reverse']);
      found.set(name, finding);
      say(finding === undefined ? `${name}: NOT FOUND` : `found by ${finder}: ${finding}`);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  const rows = defects.map(
    ({ name, breaks }) => `| ${name} | ${breaks} | ${found.get(name) ?? '**not found**'} |`,
  );
  for (const row of ['| Defect | What it breaks | Found by |', '|---|---|---|', ...rows]) print(row);
  const survived = defects.filter(({ name }) => found.get(name) === undefined);
  print(
    survived.length === 0
      ? `${defects.length} of ${defects.length} defects were found.`
      : `${survived.length} of ${defects.length} defects were not found: ${survived.map(({ name }) => name).join(', ')}`,
  );
  return survived.length === 0;
}

/** Copies the project's files to a temporary folder, without build results, packages and data. */
async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'proofdesk-defects-'));
  const left = new Set(['.git', '.cache', 'node_modules', 'data', 'dist', 'coverage']);
  await cp(root, copy, {
    recursive: true,
    filter: (source) => !left.has(relative(root, source).split('/')[0] ?? ''),
  });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function apply(copy: string, patch: string, options: readonly string[] = []): Promise<void> {
  const { code, output } = await run('git', ['apply', ...applyOptions, ...options, patch], copy);
  if (code !== 0) throw new Error(`${basename(patch)} does not apply: ${output}`);
}

async function findBySeeds(copy: string): Promise<string | undefined> {
  for (const seed of seeds) {
    const found = await findByRun(copy, seed);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Runs the short run. Returns its findings, or undefined if there are none. */
async function findByRun(copy: string, seed: number): Promise<string | undefined> {
  const cli = join(copy, 'test/chaos/cli.ts');
  const settings = ['--short', '--seed', String(seed), '--settleWithinMs', String(settleWithinMs)];
  const { code, output } = await run(process.execPath, ['--import', 'tsx', cli, ...settings], copy);
  if (code === 0) return undefined;
  const counts = /^Findings, all of which must be 0: (.*)$/m.exec(output)?.[1]?.split(' · ') ?? [];
  const found = counts.filter((count) => !count.endsWith(' 0'));
  const what = found.length > 0 ? found.join(', ') : lastLine(output);
  return `short run, seed ${seed}: ${what}`;
}

/** Runs the tests of a file. Returns the name of the first failed test, or undefined if all pass. */
async function findByTest(copy: string, file: string): Promise<string | undefined> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const { code, output } = await run(process.execPath, [vitest, 'run', '--reporter=dot', file], copy);
  if (code === 0) return undefined;
  const name = / FAIL\s+(?:\|\w+\| )?(.*)$/m.exec(output.replace(ansi, ''))?.[1];
  return name ?? `${file}: ${lastLine(output)}`;
}

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

function lastLine(output: string): string {
  return output.replace(ansi, '').trimEnd().split('\n').at(-1) ?? '';
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (text: Buffer) => {
      output += text.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
