import type { Readable } from 'node:stream';

/** A file is larger than the limit. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/**
 * Reads a download into memory, in chunks as received: joining them would double the memory. Throws {@link FileTooLarge} as
 * soon as there are more than `maxBytes`, without reading the rest. Rejects with the stream's error when it breaks off.
 */
export async function fileChunks(stream: Readable, maxBytes: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new FileTooLarge(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks;
}
