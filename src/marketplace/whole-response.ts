/** Holds an answer as a whole: with short answers, a stream would cost more than all else. */
import { PassThrough, Readable } from 'node:stream';
import { decompressed, isCompressed } from './decompression.ts';
import { type BodyTaker, encodingOf, type ResponseHead, type Wire } from './response-handler.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

/** An answer that is there as a whole, decompressed unless it was asked for as it was sent. */
export interface WholeResponse extends ResponseHead {
  readonly bytes: Buffer;
}

/** More than any answer that is held as a whole should have: a list of 10,000 campaigns is a fraction of it. */
const maxBodyBytes = 32 * 1024 * 1024;

/**
 * Returns what collects the body of an answer. It is unpacked as it arrives, so that an answer that unpacks to too much is
 * never held.
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

/** Returns what unpacks a body into another taker of it. */
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

/** Returns the bytes of an answer that was taken as it was sent, decompressed. Throws {@link UnexpectedResponse} when they are too many. */
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
