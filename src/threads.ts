import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';

/**
 * Returns the file of a program that runs beside the bot, in a separate thread or process.
 * @param program its path within `src/`, without the extension; the build puts it at the same path of `dist/`
 */
export function programFile(program: string): URL {
  // The build bundles modules into files at the top of `dist/`, the place that corresponds to this module's in `src/`.
  return new URL(`./${program}${extname(import.meta.url)}`, import.meta.url);
}

/**
 * Returns the arguments of a thread's Worker. Sources are run by tsx, as in development, which a thread has to register
 * itself.
 * @param program as for programFile
 */
export function threadProgram(program: string): ConstructorParameters<typeof Worker> {
  const file = programFile(program);
  if (file.pathname.endsWith('.js')) return [file, { execArgv: [] }];
  const code = `import('tsx/esm/api').then((tsx) => (tsx.register(), import(${JSON.stringify(file.href)})))`;
  return [code, { eval: true, execArgv: [] }];
}
