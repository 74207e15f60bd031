import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';

/**
 * Returns what a thread's Worker is created with. Sources are run by tsx, as they are in development: a thread has to register
 * it itself.
 * @param program the program's address without the ending of its name
 * @param importer the `import.meta.url` of whoever starts it
 */
export function threadProgram(program: string, importer: string): ConstructorParameters<typeof Worker> {
  const file = new URL(`${program}${extname(importer)}`, importer);
  if (file.pathname.endsWith('.js')) return [file, { execArgv: [] }];
  const code = `import('tsx/esm/api').then((tsx) => (tsx.register(), import(${JSON.stringify(file.href)})))`;
  return [code, { eval: true, execArgv: [] }];
}
