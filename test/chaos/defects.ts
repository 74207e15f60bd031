import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const folder = join(import.meta.dirname, 'defects');

/** What the defects break, as the table of docs/reliability.md names it. */
export const brokenPromises: readonly string[] = [
  'Nothing lost or done twice',
  'Outages',
  'A lying marketplace',
  'Rights, money, secrets',
  'Speed',
  'Any Redis',
];

/** A deliberate defect: a patch whose first three lines say what it breaks, which promise that is, and what finds it. */
export interface Defect {
  readonly name: string;
  readonly path: string;
  readonly breaks: string;
  readonly promise: string;
  /** The test's file and perhaps a part of its name, or the day of the chaos run. */
  readonly finder: Finder;
}

interface TestFinder {
  readonly file: string;
  readonly test?: string;
}

type Finder = { readonly seed: string } | TestFinder;

/** Options with which `git apply` finds the place of a patch even if lines around it have moved or changed. */
export const applyOptions = ['--recount', '-C1'] as const;

/** How long a finder may take (ms). One that takes longer has found nothing. */
const longestMs = 600_000;

/** Returns all defects, by name. */
export async function loadDefects(): Promise<Defect[]> {
  const files = (await readdir(folder)).sort();
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      const [breaks = '', promise = '', finder = ''] = (await readFile(path, 'utf8')).split('\n');
      return {
        ...{ name: basename(file, '.patch'), path, breaks },
        promise: promise.replace(/^Promise: /, ''),
        finder: finderOf(finder),
      };
    }),
  );
}

function finderOf(line: string): Finder {
  const [, seed, file = '', test] =
    /^Found by (?:the chaos run, seed (\d+)|(\S+\.test\.ts)(?: > “(.+)”)?)$/.exec(line) ?? [];
  if (seed !== undefined) return { seed };
  return test === undefined ? { file } : { file, test };
}

/** Returns the defects as docs/reliability.md lists them: a promise is named once. */
export function defectsTable(defects: readonly Defect[]): string {
  const rows = defects
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ breaks, promise, finder }, index, all) => {
      const named = all[index - 1]?.promise === promise ? '' : promise;
      return `| ${breaks} | ${named} | ${finderText(finder)} |`;
    });
  return ['| Defect | Promise | Found by |', '| --- | --- | --- |', ...rows].join('\n');
}

const rank = ({ promise }: Defect) => brokenPromises.indexOf(promise);

const finderText = (finder: Finder) =>
  'seed' in finder ? `\`npm run chaos -- --seed ${finder.seed}\`` : `\`${finder.file}\``;

/**
 * Plants each defect in a copy of the project, two at a time, and runs what must find it. Returns whether each was found.
 * @param names parts of the names of those to plant; none: all
 */
export async function runDefects(names: readonly string[], print: (line: string) => void): Promise<boolean> {
  const began = Date.now();
  const defects = (await loadDefects())
    .filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
    // The chaos runs first, or the last of them would be waited for.
    .sort((a, b) => Number('seed' in b.finder) - Number('seed' in a.finder));
  const left = [...defects];
  let found = 0;
  const copies = await Promise.all([copyProject(), copyProject()]);
  const plantOneByOne = async (copy: string, failing: readonly string[]) => {
    for (let defect = left.shift(); defect; defect = left.shift()) {
      const { name, path, promise, finder } = defect;
      const at = Date.now();
      // Of the copy: those here may follow the next change meanwhile.
      const patch = join(copy, relative(root, path));
      await apply(copy, patch);
      const finding =
        'seed' in finder
          ? await findByChaos(copy, finder.seed)
          : (await failures(copy, [finder], '--bail=1')).find((test) => !failing.includes(test));
      await apply(copy, patch, '--reverse');
      if (finding !== undefined) found += 1;
      const seconds = ((Date.now() - at) / 1_000).toFixed(0).padStart(4);
      print(`${name.padEnd(34)} ${promise.padEnd(26)} ${seconds} s  ${finding ?? 'FOUND BY NOTHING'}`);
    }
  };
  try {
    // What fails without a defect finds none.
    const tests = defects.flatMap(({ finder }) => ('file' in finder ? [finder] : []));
    const named = tests.filter(({ test }) => test !== undefined);
    const halves = [named, tests.filter((one) => !named.includes(one))];
    const failing = (
      await Promise.all(copies.map((copy, index) => failures(copy, halves[index] ?? [])))
    ).flat();
    for (const test of failing) print(`Fails without a defect: ${test}`);
    await Promise.all(copies.map((copy) => plantOneByOne(copy, failing)));
  } finally {
    await Promise.all(copies.map((copy) => rm(copy, { recursive: true, force: true })));
  }
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  print(`${found} of ${defects.length} defects were found, in ${minutes} minutes.`);
  return found === defects.length;
}

/** Copies the project's files to a temporary folder, without build results, packages and data. */
async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'proofdesk-defects-'));
  const skipped = new Set(['.git', '.cache', 'node_modules', 'data', 'dist']);
  const isKept = (source: string) => !skipped.has(relative(root, source).split('/')[0] ?? '');
  await cp(root, copy, { recursive: true, filter: isKept });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function apply(copy: string, patch: string, ...options: readonly string[]): Promise<void> {
  const { code, output } = await run('git', ['apply', ...applyOptions, ...options, patch], copy);
  if (code !== 0) throw new Error(`${basename(patch)} does not apply: ${output}`);
}

/** Lives through a day. Returns the promises that were broken; undefined if none was. */
async function findByChaos(copy: string, seed: string): Promise<string | undefined> {
  const args = ['--import', 'tsx', join(copy, 'test/chaos/cli.ts'), '--seed', seed];
  const { code, output } = await run(process.execPath, args, copy);
  const counts = /^Findings: (.*)$/m.exec(output)?.[1]?.split(' · ') ?? [];
  const found = counts.filter((count) => !count.endsWith(' 0'));
  return code === 1 && found.length > 0 ? `the chaos run, seed ${seed}: ${found.join(', ')}` : undefined;
}

/** Runs tests: parts of the files where they name some, else whole files. Returns the names of those that fail. */
async function failures(
  copy: string,
  tests: readonly TestFinder[],
  ...options: readonly string[]
): Promise<string[]> {
  if (tests.length === 0) return [];
  const names = tests.flatMap(({ test }) => test?.replace(/[^\w\s]/gu, '.') ?? []);
  const only = names.length === 0 ? [] : ['-t', names.join('|')];
  const program = join(copy, 'node_modules/vitest/vitest.mjs');
  const vitest = [program, 'run', '--reporter=dot', '--testTimeout=60000', '--maxWorkers=2'];
  const files = new Set(tests.map(({ file }) => file));
  const { output } = await run(process.execPath, [...vitest, ...options, ...files, ...only], copy);
  return [...output.matchAll(/ FAIL\s+(?:\|\w+\| )?(\S+ > .*)$/gm)].map(([, name = '']) => name);
}

async function run(command: string, args: readonly string[], cwd: string) {
  // Not as in CI: a test that waits for what a defect prevents is to fail soon.
  const env = { ...process.env, CI: '', NO_COLOR: '1', FORCE_COLOR: '0' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: longestMs });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString();
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
