/** Decompresses answers as they arrive, and stops where a small one unpacks to an enormous one. */
import { pipeline as connect, type Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { UnexpectedResponse } from './unexpected-response.ts';

/** What any answer may unpack to, however small it was (bytes). */
const freeBytes = 4 * 1024 * 1024;
/** How many times its size a larger one may unpack to. Results of thousands of equal rows stay below a hundred. */
const maxRatio = 200;

/**
 * Returns a body decompressed, or as it is when its encoding is none that is known. The result fails with
 * {@link UnexpectedResponse} as soon as it is far longer than what was sent.
 */
export function decompressed(body: Readable, encoding: string): Readable {
  const unpacker = unpackerFor(encoding);
  if (unpacker === undefined) return body;
  let unpacked = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _, done) {
      unpacked += chunk.length;
      if (unpacked > freeBytes + maxRatio * unpacker.bytesWritten) {
        done(new UnexpectedResponse('an answer that unpacks to far more than was sent'));
      } else done(null, chunk);
    },
  });
  // An error on any side ends all of them, and whoever reads the result gets it.
  connect(body, unpacker, guard, () => undefined);
  return guard;
}

function unpackerFor(encoding: string): zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'deflate':
      return zlib.createInflate();
    default:
      return undefined;
  }
}
