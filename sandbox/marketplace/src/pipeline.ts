import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, FileAnswer } from './answers.ts';
import { Refusal } from './answers.ts';
import { keyErrors } from './assumptions.ts';
import type { Endpoint } from './endpoint.ts';
import type { Fault } from './faults.ts';
import { readForm } from './form.ts';
import { distorted } from './lies.ts';
import type { Account } from './model.ts';
import { advance } from './model.ts';
import type { LoggedRequest } from './request-log.ts';
import type { Sandbox } from './sandbox.ts';

const gzip = promisify(gzipWithCallback);

/** Answers with fewer bytes are not worth compressing. */
const gzipFrom = 1024;

interface Wire {
  readonly status: number;
  readonly type: string;
  readonly payload: Buffer;
  readonly headers?: Record<string, string>;
}

function json(status: number, body: unknown, headers?: Record<string, string>): Wire {
  const payload = Buffer.from(JSON.stringify(body));
  return { status, type: 'application/json; charset=utf-8', payload, ...(headers ? { headers } : {}) };
}

/** Returns `attachment` with the original name: in ASCII for old clients, and complete in RFC 5987 encoding. */
function disposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(filename).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

function fileWire({ filename, content_type, bytes }: FileAnswer): Wire {
  return {
    status: 200,
    type: content_type,
    payload: bytes,
    headers: { 'content-disposition': disposition(filename) },
  };
}

/** Returns the errors of single tasks in an answer of rate_tasks, by task. */
function taskErrors(answer: Answer): Record<string, readonly string[]> | undefined {
  if ('file' in answer || !Array.isArray(answer.body.tasks)) return undefined;
  const tasks = answer.body.tasks as { id_task?: string; errors?: readonly string[] }[];
  const refused = tasks.flatMap(({ id_task, errors }) =>
    id_task && errors ? [[id_task, errors] as const] : [],
  );
  return refused.length === 0 ? undefined : Object.fromEntries(refused);
}

/** Checks the key and its role ("Authentication"). */
function authenticate(sandbox: Sandbox, endpoint: Endpoint, key: string): Account {
  const account = sandbox.world.accounts.get(key);
  if (!account) throw new Refusal(keyErrors.wrong, {}, true);
  if (account.access === 'denied') throw new Refusal(keyErrors.denied, {}, true);
  const wrongRole = endpoint.role !== undefined && endpoint.role !== account.role;
  if (account.access === 'disabled' || wrongRole) throw new Refusal(keyErrors.disabled, {}, true);
  return account;
}

/** Applies faults that answer or drop before any work is done. Answers of proxies and crashes lack the API's shape. */
function answerBefore(fault: Fault, errorStatus: number): Wire | 'drop' | undefined {
  switch (fault.kind) {
    case '500':
      return json(500, { message: 'Internal Server Error' });
    case 'html':
      return {
        status: 502,
        type: 'text/html; charset=utf-8',
        payload: Buffer.from(
          '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
        ),
      };
    case '429':
      return json(429, { message: 'Too Many Requests' }, { 'retry-after': String(fault.retryAfter) });
    case 'error':
      return json(errorStatus, {
        status: 'ERROR',
        ...(fault.errors === undefined ? { error: fault.error } : { errors: fault.errors }),
      });
    case 'drop-before':
      return 'drop';
    default:
      return undefined;
  }
}

/** Creates the pipeline from request to answer that all endpoints share. */
export function createPipeline(
  sandbox: Sandbox,
): (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  function drop(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    entry: LoggedRequest,
    wire: Wire,
  ): Promise<FastifyReply> {
    const accepts = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const compress = accepts && wire.type.startsWith('application/json') && wire.payload.length >= gzipFrom;
    const payload = compress ? await gzip(wire.payload, { level: 1 }) : wire.payload;
    entry.status = wire.status;
    entry.encoding = compress ? 'gzip' : 'identity';
    reply.code(wire.status).header('content-type', wire.type).header('vary', 'accept-encoding');
    for (const [name, value] of Object.entries(wire.headers ?? {})) reply.header(name, value);
    if (compress) reply.header('content-encoding', 'gzip');
    return reply.send(payload);
  }

  function refused(refusal: Refusal, entry: LoggedRequest): Wire {
    entry.error = refusal.message;
    const status = sandbox.settings.errorStatus;
    return refusal.auth && sandbox.settings.authErrorShape === 'text'
      ? { status, type: 'text/plain; charset=utf-8', payload: Buffer.from(refusal.message) }
      : json(status, refusal.body);
  }

  async function carryOut(
    endpoint: Endpoint,
    request: FastifyRequest,
    key: string,
    entry: LoggedRequest,
    fault: Fault | undefined,
  ): Promise<Wire> {
    try {
      const form = await readForm(request, sandbox.settings.maxFileBytes);
      entry.form = form?.record() ?? {};
      const account = authenticate(sandbox, endpoint, key);
      if (form === undefined) throw new Refusal('INPUT_DATA', { errors_list: ['Form is incomplete'] });
      const now = Date.now();
      advance(sandbox.world, sandbox.settings, now);
      const { id = '' } = request.params as { id?: string };
      const { world, settings } = sandbox;
      const asOf = fault?.kind === 'stale' ? now - fault.lagSeconds * 1000 : now;
      const call = { id, query: entry.query, form, account, world, settings, now, asOf };
      const answer: Answer = endpoint.handle(call);
      entry.applied = true;
      entry.taskErrors = taskErrors(answer);
      if ('file' in answer) return fileWire(answer.file);
      return json(200, fault?.lie === undefined ? answer.body : distorted(answer.body, fault.lie, call));
    } catch (error) {
      if (error instanceof Refusal) return refused(error, entry);
      throw error;
    }
  }

  return async function serve(endpoint, request, reply) {
    const { method } = request;
    const path = new URL(request.url, 'http://sandbox').pathname;
    const key = String(request.headers[sandbox.settings.keyHeader.toLowerCase()] ?? '');
    const query: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(request.url.split('?')[1] ?? '')) query[name] = value;
    const entry = sandbox.log.begin({ method, path, query, key });

    const { delayMs, removed, fault } = sandbox.faults.take({ method, path, key });
    if (delayMs > 0) {
      entry.fault = 'latency';
      await sandbox.wait(delayMs, removed);
    }
    if (fault) entry.fault = fault.kind;
    const early =
      (fault && answerBefore(fault, sandbox.settings.errorStatus)) ??
      (sandbox.admit(key) ? undefined : json(429, { message: 'Too Many Requests' }, { 'retry-after': '1' }));
    if (early === 'drop') return drop(request, reply);
    if (fault?.error !== undefined) entry.error = fault.error;
    if (early) {
      // The body is read to its end: otherwise the client may see its upload fail instead of the answer.
      entry.form = (await readForm(request, sandbox.settings.maxFileBytes))?.record() ?? {};
      return send(request, reply, entry, early);
    }

    const wire = await carryOut(endpoint, request, key, entry, fault);
    if (fault?.kind === 'drop-after') return drop(request, reply);
    if (fault?.kind === 'slow-after') await sandbox.wait(fault.delayMs);
    if (fault?.kind === 'garbage') {
      const payload = wire.payload.subarray(0, Math.max(1, Math.floor(wire.payload.length / 2)));
      return send(request, reply, entry, { ...wire, status: 200, payload });
    }
    return send(request, reply, entry, wire);
  };
}
