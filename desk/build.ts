import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { InlineConfig, Plugin } from 'vite';

/** The maximum size of the scripts that are loaded before the page shows anything, compressed. */
const mostScriptKilobytes = 150;

const desk = fileURLToPath(new URL('.', import.meta.url));

/** The folder of the built page, which the bot serves at `/desk`. */
const folder = join(desk, '..', 'dist', 'desk');
const stamp = 'sources.sha256';

/**
 * Builds the page into `dist/desk`, unless it is already built from the same sources. Several processes may do so at the
 * same time: each builds in its own folder, then moves the result into place.
 */
export async function buildDesk(): Promise<void> {
  const wanted = await fingerprint();
  if ((await builtFrom()) === wanted) return;
  const fresh = `${folder}-${process.pid}`;
  // Loaded here, so that a page that is already built needs neither.
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    configFile: false,
    root: rootForVite(),
    base: '/desk/',
    logLevel: 'error',
    plugins: [react(), measure()],
    ...production,
    build: {
      target: 'es2023',
      outDir: fresh,
      emptyOutDir: true,
      chunkSizeWarningLimit: 2000,
      // The page's Content-Security-Policy allows files from its own address only.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  await writeFile(join(fresh, stamp), wanted);
  await rm(folder, { recursive: true, force: true });
  try {
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was first, from the same sources.
    if ((await builtFrom()) !== wanted) throw error;
  }
}

/** Builds for production even in a test, where React would be larger and slower. The environment is not read here. */
const production: InlineConfig = {
  define: { [['process', 'env', 'NODE_ENV'].join('.')]: '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  resolve: { conditions: ['module', 'browser', 'production'], preserveSymlinks: true },
};

/** Returns a path of the package for Vite, which takes `#` and `?` in a path for parts of an address: a link to its project. */
function rootForVite(): string {
  if (!/[#?]/.test(desk)) return desk;
  const parent = mkdtempSync(join(tmpdir(), 'proofdesk-desk-'));
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
  symlinkSync(join(desk, '..'), join(parent, 'project'));
  return join(parent, 'project', 'desk');
}

/** Prints the size of the first scripts, compressed, and fails the build if they are too large. */
function measure(): Plugin {
  return {
    name: 'measure',
    generateBundle(_, bundle) {
      let first = 0;
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && !file.isDynamicEntry) first += gzipSync(file.code, { level: 9 }).length;
      const size = `${Math.ceil(first / 1000)} KB of script at first, compressed; at most ${mostScriptKilobytes} KB`;
      if (first > mostScriptKilobytes * 1000) this.error(`The desk has too much script: ${size}.`);
      console.error(`The desk is built: ${size}.`);
    },
  };
}

async function builtFrom(): Promise<string | undefined> {
  return readFile(join(folder, stamp), 'utf8').catch(() => undefined);
}

/** Returns a hash of everything that the result depends on: the page's files, and the lock file for their imports. */
async function fingerprint(): Promise<string> {
  const sources = await readdir(join(desk, 'src'), { recursive: true, withFileTypes: true });
  const files = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of [
    ...files.sort(),
    ...['build.ts', 'index.html', '../package-lock.json'].map((name) => join(desk, name)),
  ])
    hash
      .update(file.slice(desk.length))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDesk();
