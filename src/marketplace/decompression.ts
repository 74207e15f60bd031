/** Decompresses answers as they arrive, and stops at decompression bombs. */
import { pipeline as connect, type Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { BrokenResponse } from './response-handler.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

/** Decompressed size that any answer may have, however small it was (bytes). */
const freeBytes = 4 * 1024 * 1024;
/** Maximum compression ratio of larger answers. Results of thousands of equal rows stay below a hundred. */
const maxRatio = 200;

/** Larger chunks than zlib's default: each one is a task of its thread pool. */
const unpackedChunk = { chunkSize: 128 * 1024 };

/** A body, and the number of bytes received so far; undefined when they are not counted. */
export interface Decompressed {
  readonly stream: Readable;
  readonly received: (() => number) | undefined;
}

/**
 * Returns a body decompressed, or unchanged when its encoding is unknown. The result fails with {@link UnexpectedResponse}
 * as soon as it is far longer than the compressed body, and with {@link BrokenResponse} when it cannot be decompressed.
 */
export function decompressed(body: Readable, encoding: string): Decompressed {
  const unpacker = unpackerFor(encoding);
  if (unpacker === undefined) return { stream: body, received: undefined };
  let unpacked = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _, done) {
      unpacked += chunk.length;
      if (unpacked > freeBytes + maxRatio * unpacker.bytesWritten) {
        done(new UnexpectedResponse('an answer that unpacks to far more than was sent'));
      } else done(null, chunk);
    },
  });
  // Added before the listeners of `connect`, which would pass on zlib's own error.
  unpacker.once('error', (error) => guard.destroy(new BrokenResponse(error)));
  // An error on any side ends all of them, and the reader of the result receives it.
  connect(body, unpacker, guard, () => undefined);
  return { stream: guard, received: () => unpacker.bytesWritten };
}

const known = new Set(['gzip', 'x-gzip', 'br', 'deflate']);

/** Returns whether {@link decompressed} would change anything. */
export function isCompressed(encoding: string): boolean {
  return known.has(encoding);
}

function unpackerFor(encoding: string): zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(unpackedChunk);
    case 'br':
      return zlib.createBrotliDecompress(unpackedChunk);
    case 'deflate':
      return zlib.createInflate(unpackedChunk);
    default:
      return undefined;
  }
}
