import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { startMarketplaceProxy } from './marketplace-proxy.ts';

export type LargeDownloads = Awaited<ReturnType<typeof serveLargeDownloads>>;

/**
 * Starts a proxy before a marketplace that serves every proof file with `bytes` bytes, without holding them in memory. With
 * `hasLength` false, the length is not announced.
 */
export async function serveLargeDownloads(marketplaceUrl: string, bytes: number) {
  let hasLength = true;

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

  const proxy = await startMarketplaceProxy(marketplaceUrl, (path, response) => {
    if (!path.includes('download_file_proof')) return false;
    sendFile(response);
    return true;
  });
  return {
    ...proxy,
    tellLength(does: boolean): void {
      hasLength = does;
    },
  };
}
