import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createMarketplaceClient, type MarketplaceClientOptions } from '../../src/marketplace/index.ts';
import { listen } from '../harness/ports.ts';

export interface Seen {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly form: URLSearchParams;
}

type Body = string | Buffer | object;
/** An answer; `drop` closes the connection without one; `hang` never answers; a function writes by itself. */
export type Reply =
  | { status?: number; headers?: Record<string, string | number>; body?: Body }
  | 'drop'
  | 'hang'
  | ((response: ServerResponse) => void);

/** A small server of its own for one test, and what it was asked. */
export async function serve(answer: (seen: Seen, n: number) => Reply | Promise<Reply>) {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => void handle(request, response));
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const one: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
      form: new URLSearchParams(body.toString()),
    };
    seen.push(one);
    const reply = await answer(one, seen.length);
    if (reply === 'drop') return void request.socket.destroy();
    if (reply === 'hang') return;
    if (typeof reply === 'function') return reply(response);
    const content = reply.body ?? { status: 'SUCCESS' };
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  };
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const url = await listen(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, seen, connections: () => connections };
}

/** A client that is closed when the test ends. */
export function clientOf(url: string, options: Partial<MarketplaceClientOptions> = {}) {
  const client = createMarketplaceClient({
    baseUrl: url,
    apiKey: 'secret-key-0815',
    requestsPerSecond: 1000,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to fail');
}

/** An error of the given class, or the test fails. */
export async function failure<E extends Error>(
  kind: abstract new (...args: never[]) => E,
  promise: Promise<unknown>,
): Promise<E> {
  const error = await rejection(promise);
  if (error instanceof kind) return error;
  throw new Error(`not a ${kind.name}`, { cause: error });
}
