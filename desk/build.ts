import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const desk = fileURLToPath(new URL('.', import.meta.url));

/** The folder of the built page, which the bot serves at `/desk`. */
const folder = join(desk, '..', 'dist', 'desk');

/**
 * Builds the page into `dist/desk`. Several processes may do so at the same time: each builds in its own folder, then moves the
 * result into place.
 */
export async function buildDesk(): Promise<void> {
  const [fresh, former] = [`${folder}-new-${process.pid}`, `${folder}-old-${process.pid}`];
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: rootForVite(),
    base: '/desk/',
    logLevel: 'error',
    // For production even in a test, where React would be larger and slower. The environment is not read here.
    define: { [['process', 'env', 'NODE_ENV'].join('.')]: '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: { conditions: ['module', 'browser', 'production'], preserveSymlinks: true },
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
  await rename(folder, former).catch(() => undefined);
  // Another process may be first, with the same sources.
  await rename(fresh, folder).catch(() => undefined);
  for (const left of [fresh, former]) await rm(left, { recursive: true, force: true });
}

/** Returns a path of the package for Vite, which takes `#` and `?` in a path for parts of an address: a link to its project. */
function rootForVite(): string {
  if (!/[#?]/.test(desk)) return desk;
  const parent = mkdtempSync(join(tmpdir(), 'proofdesk-desk-'));
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
  symlinkSync(join(desk, '..'), join(parent, 'project'));
  return join(parent, 'project', 'desk');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDesk();
