/** Holds an answer as a whole: for short answers, a stream would cost more than everything else. */
import { PassThrough, Readable } from 'node:stream';
import { decompressed, isCompressed } from './decompression.ts';
import { type BodyTaker, encodingOf, type ResponseHead, type Wire } from './response-handler.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

/** A whole answer, decompressed unless it was requested as sent. */
export interface WholeResponse extends ResponseHead {
  readonly bytes: Buffer;
}

/** More than any answer held as a whole should need: a list of 10,000 campaigns is a fraction of it. */
const maxBodyBytes = 32 * 1024 * 1024;

/**
 * Returns the collector of an answer's body. It is decompressed as it arrives, so that an answer that decompresses to too
 * much is never held.
 * @param asSent leaves it as it was sent, and {@link decompressWhole} to the caller
 */
export function collectBody(
  head: ResponseHead,
  wire: Wire,
  asSent: boolean,
  settle: { resolve(response: WholeResponse): void; reject(error: Error): void },
): BodyTaker {
  const chunks: Buffer[] = [];
  let length = 0;

  const collected: BodyTaker = {
    push(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBodyBytes) wire.abort(tooLong());
      return true;
    },
    end() {
      const [only] = chunks;
      const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
      settle.resolve({ status: head.status, header: head.header, bytes });
    },
    fail: settle.reject,
  };
  const encoding = encodingOf(head);
  return asSent || !isCompressed(encoding) ? collected : unpack(encoding, wire, collected);
}

/** Returns the taker that decompresses a body into another one. */
function unpack(encoding: string, wire: Wire, into: BodyTaker): BodyTaker {
  const packed = new PassThrough();
  packed.on('drain', () => wire.resume());
  const { stream } = decompressed(packed, encoding);
  stream.on('data', into.push);
  stream.once('end', into.end);
  stream.once('error', (error) => {
    into.fail(error);
    wire.abort(error);
  });
  return {
    push: (chunk) => packed.write(chunk),
    end: () => void packed.end(),
    fail(error) {
      into.fail(error);
      packed.destroy(error);
    },
  };
}

/**
 * Returns the decompressed bytes of an answer that was requested as sent. Throws {@link UnexpectedResponse} when they are
 * too many.
 */
export async function decompressWhole({ header, bytes }: WholeResponse): Promise<Buffer> {
  const encoding = encodingOf({ header });
  if (!isCompressed(encoding)) return bytes;
  const chunks: Buffer[] = [];
  let length = 0;
  const { stream } = decompressed(Readable.from([bytes], { objectMode: false }), encoding);
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLong();
  }
  return Buffer.concat(chunks, length);
}

function tooLong(): UnexpectedResponse {
  return new UnexpectedResponse('an answer too long to be one');
}
