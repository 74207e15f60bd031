/** Downloads of proof files: tells a file from an error. */
import { Readable } from 'node:stream';
import { mayBeDownloadError } from './api-assumptions.ts';
import { findAuthenticationText } from './errors.ts';
import type { HttpResponse } from './http.ts';
import type { ResponseContent } from './pipeline.ts';

/** An error is a small JSON object: anything larger is a file. */
const maxErrorBytes = 16 * 1024;

/**
 * Returns the file, or the text received instead. Where the headers are inconclusive, the beginning is examined and then
 * passed on with the rest.
 */
export async function fileOrText({ status, header, body }: HttpResponse): Promise<ResponseContent> {
  const ok = status >= 200 && status < 300;
  if (ok && !mayBeDownloadError(header('content-type') ?? '', header('content-disposition')))
    return { file: body };
  const beginning: Buffer[] = [];
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  for (let length = 0; length <= maxErrorBytes; length += beginning.at(-1)?.length ?? 0) {
    const next = await chunks.next();
    if (next.done) {
      const text = Buffer.concat(beginning).toString('utf8');
      return ok && !looksLikeError(text) ? { file: streamOf(beginning) } : { text };
    }
    beginning.push(next.value);
  }
  if (ok) return { file: streamOf(beginning, chunks) };
  body.destroy();
  return { text: Buffer.concat(beginning).toString('utf8') };
}

function streamOf(beginning: readonly Buffer[], rest?: AsyncIterator<Buffer>): Readable {
  async function* all() {
    yield* beginning;
    if (rest) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return Readable.from(all(), { objectMode: false });
}

/** Returns whether a short body without a file name is an error of the service, or a page or text in place of one. */
function looksLikeError(text: string): boolean {
  return (
    /^\s*\{.*"status"\s*:\s*"ERROR"/isu.test(text) ||
    /^\s*</u.test(text) ||
    findAuthenticationText(text) !== undefined
  );
}
