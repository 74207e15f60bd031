import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

const files = {
  '/_sandbox/world': ['page.html', 'text/html; charset=utf-8'],
  '/_sandbox/world/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/_sandbox/world/page.js': ['page.js', 'text/javascript; charset=utf-8'],
} as const;

/** Serves `/_sandbox/world`: a page that shows campaigns, tasks and requests, acts for workers, and injects faults. */
export function registerWorldPage(app: FastifyInstance): void {
  for (const [path, [file, type]] of Object.entries(files)) {
    app.get(path, async (_request, reply) =>
      reply.type(type).send(await readFile(new URL(file, import.meta.url))),
    );
  }
}
