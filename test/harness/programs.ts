import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '../..');

/** One folder for each process that has built, inside the project, where the programs find their packages. */
const folders = join(root, '.cache/programs');

/** What tests start as processes of their own. */
const sources = { main: 'src/main.ts', doctor: 'src/doctor.ts', chaos: 'test/chaos/bot.ts' };

let building: Promise<string> | undefined;

/**
 * Returns the path of a program as JavaScript, for `node`: starting it from TypeScript takes three times as long. All of
 * them are built at the first call in a process.
 */
export async function programPath(name: keyof typeof sources): Promise<string> {
  building ??= buildAll();
  return join(await building, `${name}.js`);
}

async function buildAll(): Promise<string> {
  await removeUnused();
  const folder = join(folders, String(process.pid));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir: folder,
      target: 'node20',
      sourcemap: true,
      rolldownOptions: { input: sources },
    },
  });
  return folder;
}

/** Removes what processes have built that do not run any more. */
async function removeUnused(): Promise<void> {
  const builders = await readdir(folders).catch(() => []);
  const unused = builders.filter((pid) => !isRunning(Number(pid)));
  await Promise.all(unused.map((pid) => rm(join(folders, pid), { recursive: true, force: true })));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
