import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

export type LargeDownloads = Awaited<ReturnType<typeof serveLargeDownloads>>;

/**
 * Stands before a marketplace: every proof file that is downloaded has so many bytes, and nothing holds them. With
 * `hasLength` false, nobody learns how many beforehand.
 */
export async function serveLargeDownloads(marketplaceUrl: string, bytes: number) {
  let hasLength = true;
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (path.includes('download_file_proof')) return sendFile(response);
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

  function sendFile(response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="large.pdf"',
      ...(hasLength ? { 'content-length': bytes } : {}),
    });
    const chunk = Buffer.alloc(64 * 1024, 7);
    async function* chunks() {
      for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
    }
    pipeline(chunks, response).catch(() => undefined);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tellLength(does: boolean): void {
      hasLength = does;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
