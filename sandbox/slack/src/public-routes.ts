import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LoggedRequest } from './model.ts';
import { messageAt } from './page/message-link.ts';
import { respond } from './people/respond.ts';
import { BOT_TOKEN } from './seed.ts';
import type { ServerParts } from './server-parts.ts';
import { receiveUpload } from './web/files.ts';
import { type Args, SlackApiError } from './web/method.ts';

const MAX_UPLOAD = 1024 ** 3;

/** Serves the URLs that Slack gives apps outside the Web API: response URLs, uploads, downloads, links to messages. */
export async function servePublicRoutes(app: FastifyInstance, parts: ServerParts): Promise<void> {
  const { world, log, faults, responseUrls } = parts;

  await app.register(async (uploads) => {
    // A body that is not multipart is the file itself, even if it is JSON or text.
    uploads.removeAllContentTypeParsers();
    await uploads.register(multipart, { limits: { fileSize: MAX_UPLOAD, fieldSize: MAX_UPLOAD } });
    uploads.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_UPLOAD }, (_request, body, done) =>
      done(null, body),
    );
    uploads.post<{ Params: { id: string } }>('/upload/v1/:id', async (request, reply) => {
      const line = log.add({ direction: 'in', method: 'upload', args: { file: request.params.id } });
      const bytes = await uploadedBytes(request);
      if (bytes !== undefined && injected('upload', reply, line)) return reply;
      const isStored = bytes !== undefined && receiveUpload(world, request.params.id, bytes);
      Object.assign(line, {
        ok: isStored,
        status: isStored ? 200 : 400,
        ...(isStored ? {} : { error: 'upload_failed' }),
      });
      return isStored
        ? reply.type('text/plain').send(`OK - ${bytes.length}`)
        : reply.code(400).send('upload failed');
    });
  });

  const injected = (method: string, reply: FastifyReply, line: LoggedRequest): boolean => {
    const fault = faults.forCall(method, undefined);
    if (fault === undefined) return false;
    line.fault = fault.kind;
    Object.assign(line, { ok: false });
    if (fault.kind === '429') {
      reply
        .code(429)
        .header('retry-after', String(fault.retryAfter ?? 1))
        .send('rate_limited');
    } else if (fault.kind === 'drop-before' || fault.kind === 'drop-after') {
      reply.hijack();
      reply.raw.destroy();
    } else reply.code(500).send('Internal Server Error');
    return true;
  };

  const answerUrl = (request: FastifyRequest, reply: FastifyReply) => {
    const args = (request.body ?? {}) as Args;
    const line = log.add({ direction: 'in', method: 'response_url', args });
    const refuse = (status: number, error: string) => {
      Object.assign(line, { ok: false, status, error });
      return reply.code(status).send({ ok: false, error });
    };
    if (injected('response_url', reply, line)) return reply;
    const target = responseUrls.use(request.url.slice(1));
    if (target === 'not_found') return refuse(404, 'no_service');
    if (typeof target === 'string') return refuse(404, target);
    try {
      respond(target, args, parts);
    } catch (error) {
      if (!(error instanceof SlackApiError)) throw error;
      return refuse(400, error.code);
    }
    Object.assign(line, { ok: true, status: 200 });
    return reply.send({ ok: true });
  };
  app.post('/commands/*', answerUrl);
  app.post('/actions/*', answerUrl);

  const download = (request: FastifyRequest<{ Params: { key: string } }>, reply: FastifyReply) => {
    const id = request.params.key.split('-').at(-1) ?? '';
    const line = log.add({ direction: 'in', method: 'download', args: { file: id } });
    if (injected('download', reply, line)) return reply;
    const stored = world.files.get(id);
    const allowed =
      request.headers.authorization === `Bearer ${BOT_TOKEN}` &&
      !world.settings.tokenRevoked &&
      world.settings.scopes.includes('files:read');
    // Without a token, Slack redirects to its sign-in page, which answers 200.
    if (!allowed || stored?.bytes === undefined) {
      Object.assign(line, { ok: false, status: stored === undefined ? 404 : 302 });
      return stored === undefined
        ? reply.code(404).send('Not found')
        : reply.redirect(`${world.baseUrl}/signin`);
    }
    Object.assign(line, { ok: true, status: 200 });
    return reply
      .type(stored.file.mimetype)
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(stored.file.name)}`)
      .send(stored.bytes);
  };
  app.get<{ Params: { key: string } }>('/files-pri/:key/:name', download);
  app.get<{ Params: { key: string } }>('/files-pri/:key/download/:name', download);
  app.get('/archives/:channel/:message', (request, reply) => {
    const at = messageAt(`${world.baseUrl}${request.url}`);
    return at ? reply.redirect(`/?${new URLSearchParams(at)}`) : reply.code(404).send('Not found');
  });
  app.get('/signin', (_request, reply) =>
    reply.type('text/html').send('<!doctype html><title>Sign in</title><p>Sign in to see this file.</p>'),
  );
}

/** Returns the bytes of an upload: the first part of a multipart body under any name, otherwise the body itself. */
async function uploadedBytes(request: FastifyRequest): Promise<Buffer | undefined> {
  if (!request.isMultipart()) return Buffer.isBuffer(request.body) ? request.body : undefined;
  for await (const part of request.parts()) {
    if (part.type === 'file') return part.toBuffer();
    return Buffer.from(String(part.value));
  }
  return undefined;
}
