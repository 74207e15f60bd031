import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf, UserError } from '../errors.ts';

/** The only path at which Slack's requests arrive. */
const slackPath = '/slack/events';

type HealthPath = '/healthz' | '/readyz';

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
  /** By default plain text. */
  readonly type?: string;
}

/** Answers a health check; never rejects. */
export type HealthCheck = (path: HealthPath) => Promise<HealthAnswer>;

/** Limits of a client on the port. Times in ms. */
export const defaultHttpLimits = {
  /** For the headers of a request, and for all of it. Slack sends both at once. */
  headersMs: 10_000,
  requestMs: 15_000,
  /** How long a connection stays open for the next request: longer than proxies usually keep theirs (60 s). */
  keepAliveMs: 65_000,
  headerBytes: 16_384,
  connections: 500,
};
export type HttpLimits = typeof defaultHttpLimits;

/** Interval of the check for requests that take too long (ms). */
const limitCheckMs = 1_000;
/** How many connections may wait to be accepted: a burst must not delay that of a health check. */
const backlog = 4_096;

/**
 * Returns the listener for everything that arrives on the process's port: Slack's requests where it takes them, health
 * checks, metrics if they are on, the desk if there is one, and a 404 otherwise. Every request is answered, and none ends the process.
 * @param routes.metrics answers a scrape; never rejects
 * @param routes.slack returns the handler of Slack's requests, or undefined until there is one
 * @param routes.desk returns the handler of everything below `/desk`, or undefined until there is one
 * @param routes.install the handlers of the pages by which the app is installed, by path
 */
export function createRequestListener(routes: {
  readonly health: HealthCheck;
  readonly metrics?: (() => Promise<HealthAnswer>) | undefined;
  readonly slack: () => RequestListener | undefined;
  readonly desk?: (() => RequestListener | undefined) | undefined;
  readonly install?: ReadonlyMap<string, RequestListener> | undefined;
  readonly logger: Record<'error', (fields: object, text: string) => void>;
}): RequestListener {
  function route(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?')[0];
    const isHealth = path === '/healthz' || path === '/readyz';
    const read = path === '/metrics' ? routes.metrics : isHealth ? () => routes.health(path) : undefined;
    const slack = path === slackPath ? routes.slack() : undefined;
    const install = routes.install?.get(path ?? '');
    if (slack) {
      if (request.method === 'POST') slack(request, response);
      else answer(response, 405, 'Slack sends its requests here by POST.\n', { allow: 'POST' });
    } else if (install) {
      if (request.method === 'GET') install(request, response);
      else answer(response, 405, 'method not allowed\n', { allow: 'GET' });
    } else if (routes.desk && /^\/desk(\/|$)/.test(path ?? '')) {
      const desk = routes.desk();
      if (desk) desk(request, response);
      else answer(response, 503, 'Proofdesk is starting.\n');
    } else if (read === undefined) answer(response, 404, 'not found\n');
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      answer(response, 405, 'method not allowed\n', { allow: 'GET, HEAD' });
    else
      void read().then(({ status, text, type }) =>
        answer(response, status, text, type ? { 'content-type': type } : {}),
      );
  }

  return (request, response) => {
    try {
      route(request, response);
    } catch (error) {
      routes.logger.error({ reason: messageOf(error) }, 'a request could not be handled');
      if (!response.headersSent) answer(response, 400, 'The request cannot be handled.\n');
      else response.destroy();
    }
  };
}

function answer(response: ServerResponse, status: number, text: string, more?: OutgoingHttpHeaders): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...more }).end(text);
}

/**
 * Opens the process's port. Throws UserError when it cannot be opened.
 * @param host an address of this machine; absent: all of them
 * @returns the port it listens on, and a function that closes it with all its connections
 */
export async function listen(
  { port, host }: { readonly port: number; readonly host?: string },
  listener: RequestListener,
  limits: HttpLimits = defaultHttpLimits,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: limitCheckMs,
    },
    (request, response) => {
      if (isRefused(request, response))
        answer(response, 503, 'Too many requests at once.\n', { connection: 'close' });
      else listener(request, response);
    },
  );
  const isRefused = limitConnections(server, limits.connections);
  // Node closes these without an answer.
  server.on('connect', (_, socket: Duplex) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nAllow: GET, HEAD, POST\r\n\r\n');
  });
  server.listen({ port, backlog, ...(host === undefined ? {} : { host }) });
  await once(server, 'listening').catch((error: unknown) => {
    throw new UserError(
      `Port ${port} cannot be used (${messageOf(error)}). Set PORT to a free port, and HOST, if at all, to an address of this machine.`,
    );
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const deadline = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(deadline);
    },
  };
}

const makesRoom =
  'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\nOther requests need this connection.\n';

/**
 * Limits how many connections a server has open. One over the limit is still accepted, and the one that has waited longest
 * for the rest of its request is closed for it: requests that never end only displace each other. A complete request is
 * always answered.
 * @returns whether a request must be refused: its connection came while every other one was being answered
 */
function limitConnections(server: Server, most: number) {
  /** The latest answer on each connection, the longest inactive first. */
  const open = new Map<Socket, ServerResponse | undefined>();
  // Beyond that, nothing is accepted.
  server.maxConnections = 2 * most;
  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const inactive = [...open].find(([, last]) => !last || last.writableFinished || !last.req.complete);
      if (inactive === undefined) return;
      const [longest, last] = inactive;
      open.delete(longest);
      if (!last?.req.complete) longest.write(makesRoom);
      longest.destroySoon();
    }
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });

  return ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    // What is active is at the end.
    if (!open.delete(socket)) return true;
    open.set(socket, response);
    return false;
  };
}
