/** Takes an answer from undici as a whole: with short answers, a stream would cost more than all else. */
import { PassThrough, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';
import { decompressed, isCompressed } from './decompression.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** An answer that is there as a whole, decompressed unless it was asked for as it was sent. */
export interface WholeResponse extends ResponseHead {
  readonly bytes: Buffer;
}

/** Nothing came back. `sent` is false only when no byte of the request can have left. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
  readonly sent: boolean;

  constructor(reason: string, sent: boolean) {
    super(reason);
    this.sent = sent;
  }
}

/** More than any answer that is held as a whole should have: a list of 10,000 campaigns is a fraction of it. */
const maxBodyBytes = 32 * 1024 * 1024;

/** Returns what takes an answer, and resolves or rejects as `Transport.sendForWhole` says. */
export function takeWhole(
  of: {
    readonly deadline: Pick<Deadline, 'onEnd'>;
    readonly onHead: (head: ResponseHead) => void;
    /** Whether the answer is taken as it was sent, and {@link decompressWhole} is left to the caller. */
    readonly asSent?: boolean | undefined;
  },
  resolve: (response: WholeResponse) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let length = 0;
  let head: ResponseHead | undefined;
  /** Takes what arrives compressed. */
  let compressed: PassThrough | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let hasEnded = false;
  const stopListening = of.deadline.onEnd(() => {
    hasEnded = true;
    // While the request waits for a connection, undici has nothing to abort: onRequestStart does it then.
    if (controller === undefined) reject(new NoResponse('ended', false));
    else controller.abort(new Error('ended'));
  });

  function finish(): void {
    stopListening();
    const [only] = chunks;
    const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
    if (head === undefined) reject(new NoResponse('no head', true));
    else resolve({ ...head, bytes });
  }

  function fail(error: Error): void {
    stopListening();
    if (head === undefined) reject(new NoResponse(reasonOf(error), controller !== undefined));
    else reject(error);
  }

  function push(chunk: Buffer): void {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) controller?.abort(tooLong());
  }

  /** Unpacks what arrives as it arrives, so that an answer that unpacks to too much is never held. */
  function unpack(encoding: string): PassThrough {
    const packed = new PassThrough();
    packed.on('drain', () => controller?.resume());
    const { stream } = decompressed(packed, encoding);
    stream.on('data', push);
    stream.once('end', finish);
    stream.once('error', (error) => {
      fail(error);
      controller?.abort(error);
    });
    return packed;
  }

  return {
    // Called when the request is passed to a connected socket: before that, nothing of it can have arrived.
    onRequestStart(started) {
      if (hasEnded) started.abort(new Error('ended'));
      else controller = started;
    },
    onResponseStart(_, status, headers) {
      if (status < 200) return;
      head = { status, headers: joinHeaders(headers) };
      of.onHead(head);
      const encoding = encodingOf(head);
      if (of.asSent !== true && isCompressed(encoding)) compressed = unpack(encoding);
    },
    onResponseData(started, chunk) {
      if (compressed === undefined) push(chunk);
      else if (!compressed.write(chunk)) started.pause();
    },
    onResponseEnd() {
      if (compressed === undefined) finish();
      else compressed.end();
    },
    onResponseError(_, error) {
      fail(error);
      compressed?.destroy(error);
    },
  };
}

/** Returns the bytes of an answer that was taken as it was sent, decompressed. Throws what {@link takeWhole} rejects with. */
export async function decompressWhole({ headers, bytes }: WholeResponse): Promise<Buffer> {
  const encoding = encodingOf({ headers });
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

/** Returns undici's code for what went wrong, or the error's name. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code ?? error.name;
}

/** Returns in what a body is compressed, `identity` when in nothing. */
export function encodingOf({ headers }: Pick<ResponseHead, 'headers'>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
}

/** Returns headers with one text each; the same object, where that is so already. */
export function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  if (haveOneTextEach(headers)) return headers;
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]);
  return Object.fromEntries(entries);
}

function haveOneTextEach(
  headers: Record<string, string | string[] | undefined>,
): headers is Record<string, string> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return true;
}
