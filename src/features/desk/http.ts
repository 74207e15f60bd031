import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { z } from 'zod';
import { Forbidden } from '../../domain/permissions.ts';
import { NotConnected, UserError } from '../../errors.ts';
import type { Message } from '../../slack/blocks.ts';
import { internalError } from '../../slack/blocks.ts';
import type { Entry } from '../../slack/feature.ts';
import { runEntry } from '../../slack/listeners.ts';
import { type createTaskNews, deskSessionSeconds } from '../../store/desk.ts';
import { type Asked, createDeskActs, type DeskActDeps, onAsked, refusal, textOf } from './acts.ts';
import { createProofs, FileName, type readPage } from './files.ts';
import { createShapes } from './shape.ts';
import { createWords } from './words.ts';

const maxBodyBytes = 64 * 1024;
/** A page that listens is told that the connection is alive, and its rights are checked, once in this time (ms). */
const pulseMs = 15_000;
/** The most pages that listen to this process at once: each keeps a connection. */
const mostListening = 200;
/** A page that reads nothing of what it is told loses its connection (bytes), and so does one that asked for more (ms). */
const mostUnread = 1_000_000;
const stalledMs = 20_000;
/** The most answers under way at once: the others of the port's connections are for Slack and health checks. */
const mostAnswered = 300;

export type DeskPages = ReturnType<typeof createDeskPages>;

/** What answers a request by itself. */
type Answering = (response: ServerResponse) => Promise<unknown>;

/**
 * Creates what the port serves below `/desk`: the page, what it asks for, and the files of proofs. Each request has a session;
 * rights are checked at each of them, as on cards.
 */
export function createDeskPages(
  deps: DeskActDeps & {
    readonly url: string;
    readonly isEmbedded: boolean;
    readonly page: ReturnType<typeof readPage>;
    readonly news: ReturnType<typeof createTaskNews>;
    readonly explain: (error: unknown) => Message | undefined;
    /** Called with all work in progress, so that a stop can wait for it. */
    readonly track: <T>(work: Promise<T>) => Promise<T>;
  },
) {
  const { url, isEmbedded, page, news, log, people } = deps;
  const sessions = people.desk;
  const words = createWords(deps);
  const shapes = createShapes(deps, words);
  const proofOf = createProofs(deps);
  /** The connections of pages that listen. */
  const listening = new Set<ServerResponse>();
  let answered = 0;
  let isStopping = false;

  const events = onAsked('rate', z.object({}), async ({ ref, authorize, token }): Promise<Answering> => {
    if (listening.size >= mostListening)
      throw refusal(503, 'Too many pages are open. Close those that you do not need.');
    return async (response) => {
      const send = (text: string) => void (response.writableEnded || response.write(text));
      const end = () => response.end();
      const pulse = async () => {
        await authorize({ account: ref.account });
        if (response.writableLength > mostUnread) response.destroy();
        else if ((await sessions.find(token)) === undefined) end();
        else send(': \n\n');
      };
      const tell = (some: readonly string[]) => send(some.map((task) => `data: ${task}\n\n`).join(''));
      const leave = await news.listen(ref, tell, end);
      const timer = setInterval(() => void pulse().catch(end), pulseMs);
      listening.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      send(': \n\n');
      await finished(response).catch(() => undefined);
      listening.delete(response);
      clearInterval(timer);
      leave();
    };
  });

  const acts: Readonly<Record<string, Entry<Asked, unknown>>> = {
    ...createDeskActs(deps, shapes, words),
    'GET events': events,
    'GET proof': onAsked('see', FileName, ({ ref }, name): Promise<Answering> => proofOf(ref, name)),
  };

  /** Returns whose request it is. Throws if that is not whom its page shows: browsers have one cookie for all tabs. */
  async function visitorOf(request: IncomingMessage) {
    const found = await sessions.find(tokenOf(request));
    const { 'x-desk-session': shown = found?.session } = request.headers;
    if (found === undefined || shown !== found.session)
      throw refusal(401, 'Your session has ended. Press Open the desk in Slack to come back.');
    return found;
  }

  /** Throws unless the page itself has sent what changes something. */
  function requireOwnOrigin({ headers }: IncomingMessage): void {
    const isOwn =
      headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === url;
    const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
    if (!isOwn || !isJson) throw refusal(403, 'This request did not come from the desk.');
  }

  function tokenOf({ headers: { authorization = '', cookie: cookies = '' } }: IncomingMessage): string {
    const bearer = isEmbedded ? /^Bearer (\S+)$/.exec(authorization)?.[1] : undefined;
    return bearer ?? /(?:^|; *)proofdesk_desk=([^; ]+)/.exec(cookies)?.[1] ?? '';
  }

  /** What a session's cookie has besides its token. */
  const onlyHere = `Path=/desk; Max-Age=${deskSessionSeconds}; HttpOnly; SameSite=Strict${url.startsWith('https:') ? '; Secure' : ''}`;
  /** Begins a session by a link. */
  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const link = z.object({ ticket: z.string().max(200), isFramed: z.boolean().optional() });
    const given = link.safeParse(await bodyOf(request)).data;
    const begun = given && (await sessions.begin(given.ticket));
    if (begun === undefined)
      throw refusal(
        401,
        'This link has been used, or is older than a minute. Press Open the desk in Slack again.',
      );
    const { token, task } = begun;
    if (isEmbedded && given?.isFramed) return answer(response, 200, { token, task });
    response.setHeader('set-cookie', `proofdesk_desk=${token}; ${onlyHere}`);
    answer(response, 200, { task });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '' } = request;
    const { pathname: path, searchParams } = new URL(request.url ?? '', url);
    if (method === 'GET' && page(path, response)) return;
    const isPost = method === 'POST';
    if (isPost) requireOwnOrigin(request);
    const token = tokenOf(request);
    if (isPost && path === '/desk/session') return signIn(request, response);
    if (isPost && path === '/desk/sign-out') {
      await sessions.end(token);
      return answer(response, 200, {});
    }
    const entry = acts[`${method} ${path.replace(/^\/desk\/api\//, '')}`];
    if (entry === undefined) throw refusal(404, 'There is nothing like this here.');
    const visitor = await visitorOf(request);
    const given = isPost ? await bodyOf(request) : Object.fromEntries(searchParams);
    const isGone = () => response.destroyed;
    const asked = { ...visitor, how: 'desk', token, given, isGone, answer: async () => undefined } as const;
    const result = await runEntry(people.access, entry, asked);
    return typeof result === 'function' ? (result as Answering)(response) : answer(response, 200, result);
  }

  /** Says why a request failed, in a sentence for whoever made it. */
  async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const [status, text] = refusalOf(error);
    const inWords = visitorOf(request).then((visitor) => words.inWords(visitor, text));
    answer(response, status, { error: await inWords.catch(() => text) });
  }

  function refusalOf(error: unknown): readonly [status: number, text: string] {
    if (error instanceof UserError) return ['status' in error ? Number(error.status) : 409, error.message];
    const said = textOf(deps.explain(error));
    const { capability, refusal } = error instanceof Forbidden ? error.refused : {};
    // A role that was withdrawn ends the session. What takes a higher one does not, nor does Slack that cannot be asked.
    if (capability === 'undo' || refusal === 'unchecked') return [403, said];
    if (error instanceof Forbidden || error instanceof NotConnected) return [401, said];
    if (said !== '') return [503, said];
    const id = randomUUID();
    log.error({ err: error, id }, 'a request of the desk failed');
    return [500, internalError(id)];
  }

  return {
    serve(request: IncomingMessage, response: ServerResponse): void {
      const headers = headersOf(isEmbedded, request.url?.startsWith('/desk/api/proof?') ?? false);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (isStopping || answered >= mostAnswered) {
        response.setHeader('connection', 'close');
        answer(response, 503, { error: 'Proofdesk is busy, or restarting. Try again in a moment.' });
        return;
      }
      answered += 1;
      response.once('close', () => {
        answered -= 1;
      });
      response.setTimeout(stalledMs, () => response.destroy());
      void deps.track(handle(request, response).catch((error: unknown) => refuse(request, response, error)));
    },

    /** Ends all pages' connections, and takes no more requests. */
    stop(): void {
      isStopping = true;
      for (const response of listening) response.end();
    },
  };
}

function headersOf(isEmbedded: boolean, isProof: boolean): Record<string, string> {
  const ancestors = isEmbedded
    ? 'https://*.slack.com https://*.slack-gov.com https://*.slack-mcps.com'
    : "'none'";
  const ofPage = [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; font-src 'self'",
    `worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`,
  ].join('; ');
  return {
    'cache-control': 'no-store',
    'content-security-policy': isProof ? "sandbox; default-src 'none'; frame-ancestors 'none'" : ofPage,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function answer(response: ServerResponse, status: number, content: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(content));
}

/** Returns the body of a request. The length that is announced is that which arrives. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const { 'content-length': length = Number.POSITIVE_INFINITY } = request.headers;
  if (Number(length) > maxBodyBytes) throw refusal(413, 'This is too long. Shorten it, then try again.');
  return json(request).catch(() => {
    throw refusal(400, 'Something is wrong with this request. Reload the page.');
  });
}
