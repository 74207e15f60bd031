import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { parse } from 'yaml';
import type { Sandbox } from '../sandbox.ts';
import { type OpenApiDocument, pageOf } from './page.ts';

const documentFile = new URL('../../openapi.yaml', import.meta.url);
const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** `/_sandbox/openapi.json`: the API described for machines; `/_sandbox/api`: a page to try each call. */
export function registerApiPage(app: FastifyInstance, sandbox: Sandbox): void {
  const read = async () => parse(await readFile(documentFile, 'utf8')) as OpenApiDocument;

  app.get('/_sandbox/openapi.json', read);
  app.get('/_sandbox/api', async (_request, reply) => {
    const keys = [...sandbox.world.accounts.values()].map(({ key, role, username }) => ({
      key,
      label: `${role} ${username}`,
    }));
    const page = pageOf(await read(), { keyHeader: sandbox.settings.keyHeader, keys });
    return reply.type('text/html; charset=utf-8').send(page);
  });
  for (const [kind, type] of Object.entries(types)) {
    app.get(`/_sandbox/api/page.${kind}`, async (_request, reply) =>
      reply.type(type).send(await readFile(new URL(`page.${kind}`, import.meta.url))),
    );
  }
}
