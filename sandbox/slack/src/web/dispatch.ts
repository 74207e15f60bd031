import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Fault } from '../faults.ts';
import { maskToken } from '../log.ts';
import type { LoggedRequest } from '../model.ts';
import { APP_TOKEN, BOT_TOKEN } from '../seed.ts';
import type { ServerParts } from '../server-parts.ts';
import { mask } from '../world.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import { type Args, type Method, SlackApiError, str } from './method.ts';
import { otherMethods } from './other.ts';
import { viewMethods } from './views.ts';

/** The whole Web API. */
const METHODS = new Map<string, Method>(
  Object.entries({
    ...chatMethods,
    ...conversationMethods,
    ...viewMethods,
    ...fileMethods,
    ...otherMethods,
  }),
);

const HTML = '<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>';
/** How long an `accepted-late` answer takes unless the fault says otherwise. */
const LATE_MS = 15_000;

/** Returns the bearer token of the header, or the `token` argument. */
function tokenOf(request: FastifyRequest, args: Args): string | undefined {
  const header = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return header ?? str(args, 'token');
}

function checkToken(method: Method, token: string | undefined, parts: ServerParts): void {
  if (method.token === 'none') return;
  if (token === undefined) throw new SlackApiError('not_authed');
  if (token !== BOT_TOKEN && token !== APP_TOKEN) throw new SlackApiError('invalid_auth');
  if (parts.world.settings.tokenRevoked) throw new SlackApiError('token_revoked');
  const isApp = token === APP_TOKEN;
  if ((method.token === 'app' && !isApp) || (method.token === 'bot' && isApp))
    throw new SlackApiError('not_allowed_token_type');
}

/** Throws if the token has none of the scopes that the call accepts. */
function checkScopes(method: Method, args: Args, parts: ServerParts): readonly string[] {
  const wanted = typeof method.scopes === 'function' ? method.scopes(args, parts.world) : method.scopes;
  const given = parts.world.settings.scopes;
  if (wanted.length > 0 && !wanted.some((scope) => given.includes(scope)))
    throw new SlackApiError('missing_scope', { needed: wanted.join(','), provided: given.join(',') });
  return wanted;
}

/** Returns Slack's warning for JSON without a charset. */
function contentWarnings(request: FastifyRequest): Record<string, unknown> {
  const type = request.headers['content-type'] ?? '';
  return type.startsWith('application/json') && !type.includes('charset')
    ? { warning: 'missing_charset', response_metadata: { warnings: ['missing_charset'] } }
    : {};
}

function merged(answer: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const both = [more.response_metadata, answer.response_metadata].filter((part) => part !== undefined);
  return {
    ...more,
    ...answer,
    ...(both.length > 0 ? { response_metadata: Object.assign({}, ...both) } : {}),
  };
}

function answerFault(fault: Fault, reply: FastifyReply, line: LoggedRequest): boolean {
  const send = (status: number, type: string, body: string): boolean => {
    Object.assign(line, { status, ok: false });
    reply.code(status).type(type).send(body);
    return true;
  };
  switch (fault.kind) {
    case '429':
      reply.header('retry-after', String(fault.retryAfter ?? 1));
      return send(429, 'application/json', JSON.stringify({ ok: false, error: 'ratelimited' }));
    case '500':
      return send(500, 'text/plain', 'Internal Server Error');
    case 'html':
      return send(502, 'text/html', HTML);
    case 'error':
      return send(
        200,
        'application/json',
        JSON.stringify({ ok: false, error: fault.error ?? 'internal_error' }),
      );
    case 'drop-before':
      drop(reply, line);
      return true;
    default:
      return false;
  }
}

function drop(reply: FastifyReply, line: LoggedRequest): void {
  line.error = 'connection closed';
  reply.hijack();
  reply.raw.destroy();
}

async function call(
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
): Promise<unknown> {
  const args: Args = { ...(request.query as Args), ...(request.body as Args | null | undefined) };
  const token = tokenOf(request, args);
  const started = Date.now();
  reply.header('date', new Date(parts.world.now()).toUTCString());
  const line = parts.log.add({
    direction: 'in',
    method: name,
    args: maskToken(args),
    ...(token === undefined ? {} : { token: mask(token) }),
  });
  const channel = str(args, 'channel') ?? str(args, 'channel_id');
  const fault = parts.faults.forCall(name, channel);
  if (fault !== undefined) {
    line.fault = fault.kind;
    if (answerFault(fault, reply, line)) return reply;
    if (fault.kind === 'latency') await parts.faults.delay(fault, fault.delayMs ?? 1000);
  }
  if (parts.world.settings.latencyMs > 0) await wait(parts.world.settings.latencyMs);

  const answer = await answerOf(name, request, reply, parts, args, token);
  Object.assign(line, {
    ok: answer.ok,
    status: reply.statusCode,
    ms: Date.now() - started,
    ...(answer.ok === true ? {} : { error: answer.error }),
  });
  if (fault?.kind === 'drop-after') {
    drop(reply, line);
    return reply;
  }
  if (fault?.kind === 'accepted-late') await wait(fault.delayMs ?? LATE_MS, undefined, { ref: false });
  return answer;
}

async function answerOf(
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
  args: Args,
  token: string | undefined,
): Promise<Record<string, unknown>> {
  const more = contentWarnings(request);
  try {
    const method = METHODS.get(name);
    if (method === undefined) throw new SlackApiError('unknown_method', { req_method: name });
    checkToken(method, token, parts);
    reply.header(
      'x-oauth-scopes',
      token === APP_TOKEN ? 'connections:write' : parts.world.settings.scopes.join(','),
    );
    const accepted = method.token === 'app' ? [] : checkScopes(method, args, parts);
    if (accepted.length > 0) reply.header('x-accepted-oauth-scopes', accepted.join(','));
    const { token: _token, ...rest } = args;
    const seconds = parts.limits.take(name, method.tier, str(rest, 'channel'));
    if (seconds !== undefined) {
      reply.code(429).header('retry-after', String(seconds));
      return { ok: false, error: 'ratelimited' };
    }
    return merged({ ok: true, ...(await method.run(rest, parts)) }, more);
  } catch (error) {
    if (!(error instanceof SlackApiError)) throw error;
    return merged({ ok: false, error: error.code, ...error.details }, more);
  }
}

/** Serves `/api/<method>`. */
export function serveWebApi(app: FastifyInstance, parts: ServerParts): void {
  app.route<{ Params: { method: string } }>({
    method: ['GET', 'POST'],
    url: '/api/:method',
    handler: (request, reply) => call(request.params.method, request, reply, parts),
  });
}
