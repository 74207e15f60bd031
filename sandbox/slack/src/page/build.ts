import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderForVite } from './folder-for-vite.ts';

const sources = fileURLToPath(new URL('.', import.meta.url));
const project = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folder of the built page, which the sandbox workspace serves at `/`. */
export const pageFolder = join(project, '.cache', 'page');
const stamp = 'sources.sha256';

let building: Promise<void> | undefined;

/**
 * Builds the workspace's page into the project's `.cache/page`, unless it is already built from the same sources.
 * Several processes may call it at the same time: each builds in its own folder, then moves the result into place.
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
    root: join(folderForVite(project), relative(project, sources)),
    logLevel: 'error',
    build: { outDir: fresh, emptyOutDir: true },
  });
  await writeFile(join(fresh, stamp), wanted);
  await moveIntoPlace(fresh, wanted);
}

/** Moves the result into place. If another process was first, its result stays: it has the same sources. */
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

/** Returns a hash of everything that the result depends on: the page's files, and the lock file for their imports. */
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
