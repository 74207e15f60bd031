import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './ports.ts';

/**
 * Starts a proxy before a marketplace.
 * @param answer may answer a request itself, and returns whether it does
 */
export async function startMarketplaceProxy(
  marketplaceUrl: string,
  answer: (path: string, response: ServerResponse) => boolean,
) {
  // A marketplace that ends while it is asked leaves the caller without an answer, as it would without the proxy.
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (answer(path, response)) return;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const passedOn = await fetch(marketplaceUrl + path, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
    });
    const type = passedOn.headers.get('content-type') ?? 'text/plain';
    response.writeHead(passedOn.status, { 'content-type': type });
    response.end(Buffer.from(await passedOn.arrayBuffer()));
  }

  const url = await listen(server);
  return {
    url,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
