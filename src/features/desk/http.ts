import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { TaskId } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Entry } from '../../slack/feature.ts';
import { runEntry } from '../../slack/listeners.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { collecting, type createTaskNews, type DeskVisitor, deskSessionSeconds } from '../../store/desk.ts';
import { type Asked, createDeskActs, type DeskActDeps, onAsked } from './acts.ts';
import type { readPage } from './page-files.ts';
import { createProofs } from './proofs.ts';
import { DeskRefusal, refusalOf, sessionEnded } from './refusals.ts';
import { createShapes } from './shape.ts';
import { createWords } from './words.ts';

const cookieName = 'proofdesk_desk';
const maxBodyBytes = 64 * 1024;
/** A page that listens is told that the connection is alive, and its rights are checked, once in this time (ms). */
const pulseMs = 15_000;
/** The most pages that listen at once, in this process and of one member: each keeps a connection. */
const mostListening = 200;
const mostOfMember = 10;
/** A page that does not read what it is told loses its connection (bytes). */
const mostUnread = 1_000_000;

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
  const { url, isEmbedded, page, news, people, tasks } = deps;
  const sessions = people.desk;
  const words = createWords(deps);
  const shapes = createShapes(deps, words);
  const proofs = createProofs(deps);
  const listening = new Set<{ readonly member: string; readonly response: ServerResponse }>();
  let isStopping = false;

  const file = z.object({ task: TaskId, round: z.coerce.number().int(), index: z.coerce.number().int() });
  const proof = onAsked('see', file, async ({ ref }, { task: id, round, index }): Promise<Answering> => {
    const task = await tasks.get(ref, id);
    const download = task && (await proofs.open(ref, task, round, index));
    if (download === undefined) throw new DeskRefusal(404, 'This file is no longer there.');
    return (response) => proofs.send(response, download);
  });

  const events = onAsked(
    'rate',
    z.object({ token: z.string() }),
    async (asked, { token }): Promise<Answering> => {
      const { ref, member, authorize } = asked;
      const own = [...listening].filter((one) => one.member === member);
      if (listening.size >= mostListening || own.length >= mostOfMember)
        throw new DeskRefusal(503, 'Too many pages are open. Close those that you do not need.');
      return async (response) => {
        const listener = { member, response };
        listening.add(listener);
        response.once('close', () => listening.delete(listener));
        const leave = await news.listen(ref, {
          changed: collecting((changed) =>
            send(`event: changed\ndata: ${JSON.stringify({ tasks: changed })}\n\n`),
          ),
          lost: () => response.end(),
        });
        const pulse = setInterval(async () => {
          const isAllowed = async () => {
            await authorize({ account: ref.account });
            return (await sessions.find(token)) !== undefined;
          };
          if (await isAllowed().catch(() => false)) send(': \n\n');
          else response.end();
        }, pulseMs);
        function send(text: string): void {
          if (response.writableEnded) return;
          if (response.writableLength > mostUnread) response.destroy();
          else response.write(text);
        }
        const end = () => {
          clearInterval(pulse);
          leave();
        };
        if (response.destroyed) return end();
        response.once('close', end);
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
        send(': \n\n');
      };
    },
  );

  const acts: Readonly<Record<string, Entry<Asked, unknown>>> = {
    ...createDeskActs(deps, shapes, words),
    'GET events': events,
  };

  /** Returns the entry that a request is for, and what it says besides its body. */
  function entryOf(method: string, path: string, query: URLSearchParams, token: string) {
    const [, , place, name = '', id] = path.split('/');
    if (place === 'proof' && method === 'GET') {
      const [task = '', round, index] = path.split('/').slice(3).map(decodedPart);
      return { entry: proof, said: { task, round, index } };
    }
    const entry = place === 'api' ? acts[`${method} ${name}`] : undefined;
    if (entry === undefined) return undefined;
    const task = id === undefined ? {} : { task: decodedPart(id) };
    const own = entry === events ? { token } : {};
    return {
      entry,
      said: { ...Object.fromEntries([...query].filter(([, value]) => value !== '')), ...task, ...own },
    };
  }

  /** Returns whose request it is, as somebody who acts. */
  async function visitorOf(token: string | undefined): Promise<DeskVisitor> {
    const found = token === undefined ? undefined : await sessions.find(token);
    if (found === undefined) throw new DeskRefusal(401, sessionEnded);
    return found;
  }

  /** Throws unless the page itself has sent what changes something. */
  function requireOwnOrigin({ headers }: IncomingMessage): void {
    const isOwn =
      headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === url;
    const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
    if (!isOwn || !isJson) throw new DeskRefusal(403, 'This request did not come from the desk.');
  }

  function tokenOf({ headers }: IncomingMessage): string | undefined {
    const bearer = isEmbedded ? /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] : undefined;
    return bearer ?? new RegExp(`(?:^|; *)${cookieName}=([^; ]+)`).exec(headers.cookie ?? '')?.[1];
  }

  const cookie = (value: string, seconds: number) =>
    `${cookieName}=${value}; Path=/desk; Max-Age=${seconds}; HttpOnly; SameSite=Strict${url.startsWith('https:') ? '; Secure' : ''}`;

  const ticket = z.object({ ticket: z.string().max(200), isFramed: z.boolean().optional() });

  /** Begins a session by a link. */
  async function signIn(request: IncomingMessage): Promise<Answering> {
    const given = ticket.safeParse(await bodyOf(request)).data;
    const begun = given && (await sessions.begin(given.ticket));
    if (given === undefined || begun === undefined)
      throw new DeskRefusal(
        401,
        'This link has been used, or is older than a minute. Press *Open the desk* in Slack again.',
      );
    const { token, task } = begun;
    const isFramed = isEmbedded && given.isFramed === true;
    return async (response) => {
      if (!isFramed) response.setHeader('set-cookie', cookie(token, deskSessionSeconds));
      answer(response, 200, { ...(isFramed ? { token } : {}), ...(task === undefined ? {} : { task }) });
    };
  }

  async function signOut(token: string | undefined): Promise<Answering> {
    if (token !== undefined) await sessions.end(token);
    return async (response) => {
      response.setHeader('set-cookie', cookie('', 0));
      answer(response, 200, {});
    };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '' } = request;
    const { pathname: path, searchParams } = new URL(request.url ?? '', url);
    if (method === 'GET' && page.send(path, request, response)) return;
    if (method !== 'GET' && method !== 'POST') throw new DeskRefusal(405, 'There is nothing like this here.');
    const isPost = method === 'POST';
    if (isPost) requireOwnOrigin(request);
    const token = tokenOf(request);
    if (isPost && path === '/desk/session') return (await signIn(request))(response);
    if (isPost && path === '/desk/sign-out') return (await signOut(token))(response);
    const found = entryOf(method, path, searchParams, token ?? '');
    if (found === undefined) throw new DeskRefusal(404, 'There is nothing like this here.');
    const visitor = await visitorOf(token);
    const given = isPost ? await bodyOf(request) : found.said;
    const result = await runEntry(deps.people.access, found.entry, {
      ...visitor,
      how: 'desk',
      answer: async () => undefined,
      given,
    });
    return typeof result === 'function' ? (result as Answering)(response) : answer(response, 200, result);
  }

  async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { status, text } = refusalOf(error, request.url?.split(/[?#]/)[0] ?? '', deps);
    const visitor = await visitorOf(tokenOf(request)).catch(() => undefined);
    const sentence = visitor && (await words.inWords(visitor, text).catch(() => undefined));
    answer(response, status, { error: sentence ?? plain(text) });
  }

  return {
    serve(request: IncomingMessage, response: ServerResponse): void {
      const headers = headersOf(isEmbedded, request.url?.startsWith('/desk/proof/') ?? false);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (isStopping) answer(response, 503, { error: 'Proofdesk is restarting. Try again in a moment.' });
      else
        void deps.track(
          handle(request, response).catch((error: unknown) => refuse(request, response, error)),
        );
    },

    /** Ends all pages' connections, and takes no more requests. */
    stop(): void {
      isStopping = true;
      for (const { response } of listening) response.end();
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

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Returns the body of a request. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const tooLarge = () => new DeskRefusal(413, 'This is too long. Shorten it, then try again.');
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new DeskRefusal(400, 'Something is wrong with this request. Reload the page.');
  }
}
