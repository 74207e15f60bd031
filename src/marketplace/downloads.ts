/** A proof file on its way: told from an error, and given back its original name. */
import { Readable } from 'node:stream';
import type { Received } from './attempt.ts';
import { findAuthenticationText } from './error-texts.ts';
import { mightBeAnError } from './silent-points.ts';
import type { TransportResponse } from './transport.ts';

/** An error is a small JSON object; what is longer is a file. */
const longestError = 16 * 1024;

/**
 * The file, or the text of what came instead. Where the headers leave it open, the beginning is looked at and handed
 * on with the rest.
 */
export async function fileOrText({ status, headers, stream }: TransportResponse): Promise<Received> {
  const ok = status >= 200 && status < 300;
  if (ok && !mightBeAnError(headers['content-type'] ?? '', headers['content-disposition'])) {
    return { file: stream };
  }
  const seen: Buffer[] = [];
  let length = 0;
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  while (length <= longestError) {
    const next = await chunks.next();
    if (next.done) {
      const text = Buffer.concat(seen).toString('utf8');
      return ok && !looksLikeAnError(text) ? { file: Readable.from(seen, { objectMode: false }) } : { text };
    }
    seen.push(next.value);
    length += next.value.length;
  }
  if (ok) return { file: continued(seen, chunks, stream) };
  stream.destroy();
  return { text: Buffer.concat(seen).toString('utf8') };
}

/** Whether a short text body without a file name is an error of the service, or a page or message in its place. */
function looksLikeAnError(text: string): boolean {
  return (
    /^\s*\{.*"status"\s*:\s*"ERROR"/isu.test(text) ||
    /^\s*</u.test(text) ||
    findAuthenticationText(text) !== undefined
  );
}

function continued(seen: readonly Buffer[], rest: AsyncIterator<Buffer>, source: Readable): Readable {
  async function* all() {
    yield* seen;
    for (;;) {
      const next = await rest.next();
      if (next.done) return;
      yield next.value;
    }
  }
  const file = Readable.from(all(), { objectMode: false });
  file.once('close', () => source.destroy());
  return file;
}

/**
 * The original name in a Content-Disposition: `filename*` (RFC 5987) before `filename`, UTF-8 bytes in the latter read
 * as such. Directories and control characters are taken off; undefined when nothing is left.
 */
export function filenameOf(disposition: string | undefined): string | undefined {
  const name = extendedName(disposition ?? '') ?? plainName(disposition ?? '');
  const base = name
    ?.split(/[/\\]/u)
    .at(-1)
    ?.replace(/\p{Cc}/gu, '')
    .trim();
  return base === undefined || base === '' || base === '.' || base === '..' ? undefined : base;
}

function extendedName(disposition: string): string | undefined {
  const match = /(?:^|;)\s*filename\*\s*=\s*"?([\w-]+)'[^']*'([^;"]+)"?/iu.exec(disposition);
  if (!match) return undefined;
  const [, charset = '', encoded = ''] = match;
  const bytes = Buffer.from(
    encoded
      .trim()
      .replace(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return decode(bytes, charset);
}

function plainName(disposition: string): string | undefined {
  const match = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/iu.exec(disposition);
  if (!match) return undefined;
  const name = match[1] === undefined ? (match[2] ?? '') : match[1].replace(/\\(["\\])/gu, '$1');
  // Headers reach us byte by byte; most servers write the name in UTF-8 there, against the letter of the standard.
  return decode(Buffer.from(name, 'latin1'), 'utf-8') ?? name;
}

function decode(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
