import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';

/**
 * Returns the file of a program that runs beside the bot, in a thread or a process of its own.
 * @param program its path within `src/`, without the ending; the build puts it at the same path of `dist/`
 */
export function programFile(program: string): URL {
  // The build moves modules into files at the top of `dist/`, which is where this one is in `src/`.
  return new URL(`./${program}${extname(import.meta.url)}`, import.meta.url);
}

/**
 * Returns what a thread's Worker is created with. Sources are run by tsx, as they are in development: a thread has to register
 * it itself.
 * @param program as for programFile
 */
export function threadProgram(program: string): ConstructorParameters<typeof Worker> {
  const file = programFile(program);
  if (file.pathname.endsWith('.js')) return [file, { execArgv: [] }];
  const code = `import('tsx/esm/api').then((tsx) => (tsx.register(), import(${JSON.stringify(file.href)})))`;
  return [code, { eval: true, execArgv: [] }];
}
