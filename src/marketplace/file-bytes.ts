import type { Readable } from 'node:stream';

/** A file has more bytes than were to be read. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/**
 * A download's bytes, all in memory. Throws {@link FileTooLarge} as soon as there are more than `most`; the rest is not
 * read then. Rejects with the stream's error when it breaks off.
 */
export async function fileBytes(stream: Readable, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new FileTooLarge(`more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
