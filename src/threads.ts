import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
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

/**
 * Lowers the priority of the calling thread, and of the threads and processes that it starts from then on, so that acks come
 * first on machines with few processors. Only Linux has priorities of threads; elsewhere, this does nothing.
 * @param niceness from 1, a little lower, to 19, the lowest
 */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform !== 'linux') return;
  try {
    const [thread = ''] = /\d+$/u.exec(readlinkSync('/proc/thread-self')) ?? [];
    setPriority(Number(thread), niceness);
  } catch {
    // Some containers forbid it; the thread then keeps the normal priority.
  }
}
