import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('.', import.meta.url));
const project = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folder of the built page, which the sandbox workspace serves at `/`. */
export const pageFolder = join(project, '.cache', 'page');
const stamp = 'sources.sha256';

let building: Promise<void> | undefined;

/**
 * Builds the workspace's page into `.cache/page` of the project, unless it was built from the same sources before.
 * Several processes may call it at once: each builds in a folder of its own and moves the result to its place.
 */
export function buildPage(): Promise<void> {
  building ??= buildIfChanged().finally(() => {
    building = undefined;
  });
  return building;
}

async function buildIfChanged(): Promise<void> {
  const wanted = await fingerprint();
  if ((await builtFrom()) === wanted) return;
  const fresh = `${pageFolder}-${process.pid}`;
  // Loaded here, so that importing this file stays fast.
  const { build } = await import('vite');
  await build({
    configFile: join(sources, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: fresh, emptyOutDir: true },
  });
  await writeFile(join(fresh, stamp), wanted);
  await moveIntoPlace(fresh, wanted);
}

/** Moves the result to its place. Another process may be first: its result, from the same sources, stays. */
async function moveIntoPlace(fresh: string, wanted: string): Promise<void> {
  await rm(pageFolder, { recursive: true, force: true });
  try {
    await rename(fresh, pageFolder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if ((await builtFrom()) !== wanted) throw error;
  }
}

async function builtFrom(): Promise<string | undefined> {
  return readFile(join(pageFolder, stamp), 'utf8').catch(() => undefined);
}

/** Returns a hash of everything the result depends on: the page's files, and the lock file for what they import. */
async function fingerprint(): Promise<string> {
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...files, join(project, 'package-lock.json')]) {
    hash.update(file.slice(project.length)).update('\0');
    hash.update(await readFile(file)).update('\0');
  }
  return hash.digest('hex');
}
