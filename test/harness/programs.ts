import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '../..');

/** What tests start as processes of their own. */
const sources = { main: 'src/main.ts', doctor: 'src/doctor.ts', chaos: 'test/chaos/bot.ts' };

let building: Promise<string> | undefined;

/**
 * Returns the path of a program as JavaScript, for `node`: to start it from TypeScript takes thrice as long. All of them
 * are built at the first call and removed when this process ends. They lie inside the project, where they find their
 * packages.
 */
export async function programPath(name: keyof typeof sources): Promise<string> {
  building ??= buildAll();
  return join(await building, `${name}.js`);
}

async function buildAll(): Promise<string> {
  const folder = join(root, '.cache', `programs-${process.pid}`);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
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
