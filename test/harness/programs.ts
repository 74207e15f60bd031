import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import shipped from '../../rolldown.config.ts';
import { eventually } from './eventually.ts';

const root = join(import.meta.dirname, '../..');

/** One folder for each run of the tests that has built, inside the project, where the programs find their packages. */
const folders = join(root, '.cache/programs');

let building: Promise<string> | undefined;

/**
 * Returns the path of a program as JavaScript, for `node`: what `npm run build` makes, and the bot of the chaos run. All of
 * them are built at the first call in a run of the tests: scripts/test.mjs names the run, otherwise its workers have the same
 * parent.
 */
export async function programPath(name: 'main' | 'audit' | 'doctor' | 'chaos'): Promise<string> {
  const run = Number(process.env.TEST_RUN ?? process.ppid);
  building ??= process.env.VITEST ? builtByOne(run) : buildInto(String(process.pid));
  return join(await building, `${name}.js`);
}

/** Returns the folder of a run. The first worker that asks builds, the others wait for it. */
async function builtByOne(run: number): Promise<string> {
  const name = `${run}-${await lastChange()}`;
  const folder = join(folders, name);
  await mkdir(folders, { recursive: true });
  const isBuilt = () =>
    stat(folder).then(
      () => true,
      () => false,
    );
  // In watch mode, a run builds again what was changed since.
  const isFirst = await mkdir(`${folder}.begun`).then(
    () => true,
    () => false,
  );
  if (!isFirst) {
    await eventually('the programs to be built by another worker', isBuilt, 60_000);
    return folder;
  }
  await removeUnused();
  await rename(await buildInto(`${name}.building`), folder);
  return folder;
}

/** Returns when the latest of the sources was changed (ms). */
async function lastChange(): Promise<number> {
  const inFolder = async (folder: string) => {
    const files = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    const times = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).mtimeMs),
    );
    return Math.max(0, ...times);
  };
  return Math.round(Math.max(...(await Promise.all(['src', 'test/chaos'].map(inFolder)))));
}

async function buildInto(name: string): Promise<string> {
  const folder = join(folders, name);
  await build({
    ...shipped,
    input: { ...shipped.input, chaos: 'test/chaos/bot.ts' },
    cwd: root,
    logLevel: 'warn',
    output: { ...shipped.output, dir: folder },
  });
  return folder;
}

/** Removes what processes have built that do not run any more. */
async function removeUnused(): Promise<void> {
  const built = await readdir(folders).catch(() => []);
  const unused = built.filter((name) => !isRunning(Number.parseInt(name, 10)));
  await Promise.all(unused.map((name) => rm(join(folders, name), { recursive: true, force: true })));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
