import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { pipeline as connect, Readable, Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import * as zlib from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import type * as z from 'zod';
import type { Money } from '../domain/money.ts';
import { isWrongKeyStatus, parseCountryList, parseRetargetTimestamp } from './api-assumptions.ts';
import type { Datetimes } from './datetimes.ts';
import {
  type ErrorDetails,
  findAuthenticationText,
  MarketplaceError,
  type MarketplaceErrorCode,
  readErrorText,
} from './errors.ts';
import { envelope, refusal } from './schemas.ts';
import type { UploadFile } from './types.ts';

/** Sends one request over a pool of connections, and reads its answer. It neither retries nor interprets answers. */
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

/** Encodes fields for the wire ("Endpoints": form fields, an array as `name[]` once per value, multipart). */
/** Values by the names of their fields: a name with `[]` is repeated once per value, and undefined is not sent. */
export type Fields = Readonly<Record<string, string | UploadFile | readonly string[] | undefined>>;

/** One field on the wire. */
export type WireField = readonly [name: string, value: string | UploadFile];

/** Returns the fields as they are sent. */
export function toWireFields(fields: Fields): WireField[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): WireField => [name, one]),
  );
}

/** Returns `name=value&…`, for queries and form bodies. */
export function urlEncode(fields: readonly WireField[]): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of fields) {
    if (typeof value === 'string') encoded.append(name, value);
  }
  return encoded.toString();
}

/** Returns whether the same body can be sent again: a file can be read only once. */
export function isReplayable(fields: Fields = {}): boolean {
  return toWireFields(fields).every(([, value]) => typeof value === 'string');
}

/** Encodes a form. A multipart body is generated during sending, so that no file is held in memory. */
export function encodeBody(
  fields: readonly WireField[],
  isMultipart = false,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string | Readable } {
  if (!isMultipart)
    return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: urlEncode(fields) };
  const boundary = `----proofdesk${randomBytes(18).toString('hex')}`;
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(lengthOf(fields, boundary)),
    },
    body: Readable.from(multipart(fields, boundary), { objectMode: false }),
  };
}

async function* multipart(fields: readonly WireField[], boundary: string): AsyncGenerator<Buffer> {
  for (const [name, value] of fields) {
    yield Buffer.from(headOf(name, value, boundary));
    if (typeof value === 'string') yield Buffer.from(value);
    else yield* value.stream as AsyncIterable<Buffer>;
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(closingOf(boundary));
}

function headOf(name: string, value: string | UploadFile, boundary: string): string {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
  if (typeof value === 'string') return `${disposition}\r\n\r\n`;
  const type = value.contentType.replace(/[\r\n]+/gu, ' ');
  return `${disposition}; filename="${escapeName(value.filename)}"\r\nContent-Type: ${type}\r\n\r\n`;
}

const closingOf = (boundary: string) => `--${boundary}--\r\n`;

/** Escapes a name as browsers do in multipart headers: UTF-8, escaping characters that would end the line or the name. */
function escapeName(name: string): string {
  return name.replace(/\r\n|\r|\n/gu, '%0D%0A').replaceAll('"', '%22');
}

function lengthOf(fields: readonly WireField[], boundary: string): number {
  let length = Buffer.byteLength(closingOf(boundary));
  for (const [name, value] of fields) {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.size;
    length += Buffer.byteLength(headOf(name, value, boundary)) + size + 2;
  }
  return length;
}

/** Parses the text of an answer: a success, a refusal of the service, or neither. */
/** The request's data that are needed to parse its answer. */
export interface ResponseContext {
  readonly operation: string;
  readonly datetimes: Datetimes;
  /** Removes the key from a text. */
  readonly redact: (text: string) => string;
}

export type ParsedResponse =
  | { readonly kind: 'success'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly error: MarketplaceError }
  | { readonly kind: 'unrecognized' };

/**
 * Parses a body, whatever the HTTP status: the API does not say which status accompanies which answer ("HTTP status codes of
 * responses: not shown"). Texts about the key are recognized in any shape.
 */
export function parseResponse(body: string, status: number, context: ResponseContext): ParsedResponse {
  const json = parseJson(body);
  const shape = envelope.safeParse(json);
  if (shape.success && shape.data.status === 'SUCCESS') return { kind: 'success', body: json };
  if (shape.success && shape.data.status === 'ERROR') {
    const parsed = refusal.safeParse(json);
    if (parsed.success) return { kind: 'refused', error: toMarketplaceError(parsed.data, context) };
  }
  // Only the beginning is searched: these texts come alone.
  const found =
    findAuthenticationText(body.slice(0, 4096)) ??
    (isWrongKeyStatus(status)
      ? { code: 'API_KEY_WRONG' as const, text: `HTTP status ${status}` }
      : undefined);
  if (found === undefined) return { kind: 'unrecognized' };
  return { kind: 'refused', error: new MarketplaceError({ operation: context.operation, ...found }) };
}

function toMarketplaceError(wire: z.output<typeof refusal>, context: ResponseContext): MarketplaceError {
  const { redact, operation } = context;
  const listed = [...wire.errors_list, ...wire.errors];
  const minPaymentPerTask = wire.min_payment_per_task ?? undefined;
  const text = [wire.error, listed.join(', ')].find((one) => one.trim() !== '') ?? '';
  return new MarketplaceError({
    operation,
    ...codeOf(text, listed, minPaymentPerTask, context),
    text: redact(text),
    errorsList: wire.errors_list.map(redact),
    errors: wire.errors.map(redact),
    ...(minPaymentPerTask === undefined ? {} : { minPaymentPerTask }),
  });
}

/** Returns the code of `error`, else of the first known listed text, else the one implied by the minimum payment. */
function codeOf(
  text: string,
  listed: readonly string[],
  minPayment: Money | undefined,
  { datetimes, redact }: ResponseContext,
): { code: MarketplaceErrorCode; details: ErrorDetails } {
  for (const one of [text, ...listed]) {
    const { code, parameter } = readErrorText(one);
    if (code !== 'OTHER') return { code, details: detailsOf(code, redact(parameter ?? ''), datetimes) };
  }
  const authentication = findAuthenticationText(text);
  if (authentication) return { code: authentication.code, details: {} };
  return { code: minPayment === undefined ? 'OTHER' : 'PAYMENT_TOO_LOW', details: {} };
}

function detailsOf(code: MarketplaceErrorCode, parameter: string, datetimes: Datetimes): ErrorDetails {
  if (code === 'NEXT_RETARGET') {
    const nextRetargetAt = parseRetargetTimestamp(parameter, datetimes.parse);
    return nextRetargetAt === undefined ? {} : { nextRetargetAt };
  }
  if (code === 'UNKNOWN_COUNTRY_CODE') return { unknownCountry: parameter };
  if (code === 'COUNTRIES_NOT_AVAILABLE') return { unavailableCountries: parseCountryList(parameter) };
  return {};
}

/** Returns the value of a JSON text; undefined when it is none. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
