/** Sends one request over a pool of connections, and reads its answer. It neither retries nor interprets answers. */
import { isUtf8 } from 'node:buffer';
import { pipeline as connect, type Readable, Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import * as zlib from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';

export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | null;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Returns a header by its lower-case name; several of one name joined. */
  readonly header: (name: string) => string | undefined;
  /** Decompressed. Read it to its end or destroy it. */
  readonly body: Readable;
  /** Returns the number of bytes received over the wire, for a body that was compressed. */
  readonly received: (() => number) | undefined;
}

/** There was no answer. `isSent` is false only when no byte of the request can have left. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
  readonly isSent: boolean;

  constructor(reason: string, isSent: boolean) {
    super(reason);
    this.isSent = isSent;
  }
}

/** An answer that does not match the API's description: retrying would change nothing. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';
}

/** How long a body may stall (ms). */
const stallTimeoutMs = 60_000;
/** More than any answer held as a whole should need: a list of 10,000 campaigns is a fraction of it. */
const maxBodyBytes = 32 * 1024 * 1024;
/** Decompressed size that any answer may have, however small it was (bytes). */
const freeBytes = 4 * 1024 * 1024;
/** Maximum compression ratio of larger answers. Results of thousands of equal rows stay below a hundred. */
const maxRatio = 200;
/** Larger chunks than zlib's default: each one is a task of its thread pool. */
const unpackedChunk = { chunkSize: 128 * 1024 };
/** What bytes that stand for no character become. */
const replacement = '\uFFFD';

/**
 * Creates the sender of a client's requests.
 * @param options `baseUrl` may have a path, which precedes every request's own. `dispatcher`: connections shared with
 * others; otherwise it has its own, `concurrency` of them.
 */
export function createHttp({
  baseUrl,
  dispatcher,
  concurrency,
}: {
  readonly baseUrl: string;
  readonly dispatcher: Dispatcher | undefined;
  readonly concurrency: number;
}) {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/u, '');
  const connections = dispatcher ?? new Pool(origin, { connections: concurrency });

  return {
    /** Resolves with the head of the answer. Rejects with {@link NoResponse}. */
    async send({ path, signal, ...request }: HttpRequest): Promise<HttpResponse> {
      let isSent = false;
      // A request that is passed to a connected socket is started: before that, none of it can have arrived.
      const watched = connections.compose(
        (dispatch) => (options, handler) =>
          dispatch(options, {
            onRequestStart(...of) {
              isSent = true;
              handler.onRequestStart?.(...of);
            },
            onResponseStart: (...of) => handler.onResponseStart?.(...of),
            onResponseData: (...of) => handler.onResponseData?.(...of),
            onResponseEnd: (...of) => handler.onResponseEnd?.(...of),
            onResponseError: (...of) => handler.onResponseError?.(...of),
          }),
      );
      try {
        signal.throwIfAborted();
        const sent = watched.request({
          ...request,
          origin,
          path: prefix + path,
          signal,
          // The call's own end is the only other timeout.
          headersTimeout: 0,
          bodyTimeout: stallTimeoutMs,
        });
        const { statusCode, headers, body } = await Promise.race([sent, endOf(signal)]);
        // It may break off before anybody reads it: a later reader then receives the error.
        body.on('error', () => undefined);
        const header = (name: string) => [headers[name] ?? []].flat().join(', ') || undefined;
        return { status: statusCode, header, ...decompressed(body, header('content-encoding')) };
      } catch (error) {
        throw new NoResponse(reasonOf(error), isSent);
      }
    },

    async destroy(): Promise<void> {
      if (dispatcher === undefined) await connections.destroy();
    },
  };
}

/** Rejects when a call ends: undici only notes it as long as a request waits for a connection. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Returns undici's code for the failure, or the error's name. */
function reasonOf(error: unknown): string {
  const { code, name } = Object(error);
  return String(code ?? name);
}

/**
 * Returns a body decompressed, or unchanged when its encoding is unknown. The result fails with {@link UnexpectedResponse}
 * as soon as it is far longer than the compressed body.
 */
function decompressed(body: Readable, encoding = 'identity'): Pick<HttpResponse, 'body' | 'received'> {
  const unpacker = unpackerFor(encoding.trim().toLowerCase());
  if (unpacker === undefined) return { body, received: undefined };
  let unpacked = 0;
  const guard = new Transform({
    transform(chunk: Buffer, _, done) {
      unpacked += chunk.length;
      if (unpacked > freeBytes + maxRatio * unpacker.bytesWritten)
        done(new UnexpectedResponse('an answer that unpacks to far more than was sent'));
      else done(null, chunk);
    },
  });
  // An error on any side ends all of them, and the reader of the result receives it.
  connect(body, unpacker, guard, () => undefined);
  return { body: guard, received: () => unpacker.bytesWritten };
}

function unpackerFor(encoding: string): zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip(unpackedChunk);
  if (encoding === 'br') return zlib.createBrotliDecompress(unpackedChunk);
  return encoding === 'deflate' ? zlib.createInflate(unpackedChunk) : undefined;
}

/** Returns a whole body. Throws {@link UnexpectedResponse} as soon as it is longer than any should be. */
export async function readWhole({ body }: HttpResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) throw new UnexpectedResponse('an answer too long to be one');
  }
  return Buffer.concat(chunks, length);
}

/** Reads the text of a whole answer. */
export async function readText(response: HttpResponse): Promise<{ readonly text: string }> {
  return { text: decodeText(await readWhole(response), response) };
}

/**
 * Returns an answer's text. @param onUndecodable called when some of its bytes stand for no character; they have become
 * U+FFFD
 */
export function decodeText(bytes: Buffer, response: HttpResponse, onUndecodable?: () => void): string {
  const decoder = decoderOf(response);
  const text = decoder.decode(bytes);
  if (onUndecodable && (decoder.encoding === 'utf-8' ? !isUtf8(bytes) : text.includes(replacement)))
    onUndecodable();
  return text;
}

/**
 * Returns the decoder of an answer as its Content-Type declares; without a declaration, JSON is UTF-8. Throws
 * {@link UnexpectedResponse} for an unknown charset.
 */
export function decoderOf({ header }: HttpResponse): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/iu.exec(header('content-type') ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    throw new UnexpectedResponse('an answer in an unknown charset');
  }
}

/** Returns whether a part of an answer has bytes that could not be decoded. */
export function hasUndecoded(part: unknown): boolean {
  return JSON.stringify(part).includes(replacement);
}
