import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import shipped from '../../rolldown.config.ts';
import { eventually } from './eventually.ts';

const root = join(import.meta.dirname, '../..');

/** One folder for each test run that has built; inside the project, so that the programs find their packages. */
const folders = join(root, '.cache/programs');

let building: Promise<string> | undefined;

/**
 * Returns the path of a program as JavaScript for `node`: one built by `npm run build`, or the bot of the chaos run. The
 * first call in a test run builds all of them. scripts/test.mjs names the run; otherwise the workers' common parent process
 * identifies it.
 */
export async function programPath(name: 'main' | 'doctor' | 'chaos'): Promise<string> {
  const run = Number(process.env.TEST_RUN ?? process.ppid);
  building ??= process.env.VITEST ? builtByOne(run) : buildInto(String(process.pid));
  return join(await building, `${name}.js`);
}

/** Returns the folder of a run. The first worker that calls this builds, and the others wait for it. */
async function builtByOne(run: number): Promise<string> {
  const name = `${run}-${await lastChange()}`;
  const folder = join(folders, name);
  await mkdir(folders, { recursive: true });
  const isBuilt = () =>
    stat(folder).then(
      () => true,
      () => false,
    );
  // In watch mode, a run rebuilds after changes.
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

/** Returns the time (ms) of the latest change to the sources. */
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

/** Removes the builds of processes that no longer run. */
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
