import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { limitConnections } from './connection-limit.ts';
import { messageOf } from './errors.ts';
import type { Logger } from './logger.ts';

/** The one path at which Slack's requests arrive. */
const slackPath = '/slack/events';

/** What a client may take of the port. Times in ms. */
export interface HttpLimits {
  /** For the headers of a request, and for all of it. Slack sends both at once. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a connection stays open for the next request: longer than proxies usually keep theirs (60 s). */
  readonly keepAliveMs: number;
  readonly headerBytes: number;
  readonly connections: number;
}

export const defaultHttpLimits: HttpLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 65_000,
  headerBytes: 16_384,
  connections: 500,
};

/** How often requests are looked at that take too long (ms). */
const limitCheckMs = 1_000;
/** How many connections may wait to be accepted: a burst must not keep the one of a health check waiting. */
const backlog = 4_096;

/**
 * Returns the listener for everything that arrives on the process's port: Slack's requests where it takes them, health
 * and a 404 otherwise. Every request is answered, and none ends the process: Bolt's own listener throws for a method or
 * path that it does not serve.
 * @param routes.slack returns Bolt's listener, or undefined in Socket Mode and until the app is connected
 */
export function createRequestListener(routes: {
  readonly health: RequestListener;
  readonly slack: () => RequestListener | undefined;
  readonly logger: Pick<Logger, 'error'>;
}): RequestListener {
  return (request, response) => {
    const listener = request.url?.split('?')[0] === slackPath ? routes.slack() : undefined;
    try {
      if (listener === undefined) routes.health(request, response);
      else if (request.method !== 'POST') refuse(response, 405, 'Slack sends its requests here by POST.');
      else listener(request, response);
    } catch (error) {
      routes.logger.error({ reason: messageOf(error) }, 'a request could not be handled');
      if (!response.headersSent) refuse(response, 400, 'The request cannot be handled.');
      else response.destroy();
    }
  };
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  const more = status === 405 ? { allow: 'POST' } : status === 503 ? { connection: 'close' } : {};
  response.writeHead(status, { 'content-type': 'text/plain', ...more }).end(`${sentence}\n`);
}

/**
 * Opens the process's port. Rejects when it is taken.
 * @param host an address of this machine; absent: all of them
 * @returns the port it listens on, and how to close it with all its connections
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
      if (isRefused(request.socket)) refuse(response, 503, 'Too many requests at once.');
      else listener(request, response);
    },
  );
  const isRefused = limitConnections(server, limits.connections);
  // Node closes these without an answer.
  server.on('connect', (_, socket: Duplex) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nAllow: GET, HEAD, POST\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, backlog, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
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
