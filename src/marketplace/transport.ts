/** Sends one request over a pool of connections and reads the head of its answer. Knows no retries and no meaning. */
import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { decompressed } from './decompression.ts';
import type { EncodedBody } from './request-body.ts';

export interface TransportRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: EncodedBody['body'];
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Decompressed. Read it to its end or destroy it. */
  readonly stream: Readable;
  /** Bytes on the wire, when they are the bytes of the stream too. */
  readonly size: number | undefined;
  /** Returns how many bytes have come over the wire, where these are not those of the stream. */
  readonly received: (() => number) | undefined;
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

export interface Transport {
  /** Rejects with {@link NoResponse}. */
  send(request: TransportRequest): Promise<TransportResponse>;
  destroy(): Promise<void>;
}

/** How long a body may stall: the deadline of a call no longer applies once a file has begun to arrive. */
const bodyTimeoutMs = 60_000;

/** `baseUrl` may have a path, which stands before every request's own. */
export function createTransport(baseUrl: string, connections: number): Transport {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/u, '');
  const pool = new Pool(base.origin, { connections, pipelining: 1, bodyTimeout: bodyTimeoutMs });

  return {
    async send(request) {
      let sent = false;
      const dispatcher = pool.compose(watchStart(() => (sent = true)));
      let answer: Dispatcher.ResponseData;
      try {
        // The deadline of the call is the only clock: undici's own would cut a caller short who is ready to wait.
        answer = await dispatcher.request({ ...request, path: prefix + request.path, headersTimeout: 0 });
      } catch (error) {
        throw new NoResponse(reasonOf(error), sent);
      }
      const headers = joinHeaders(answer.headers);
      const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
      const { stream, received } = decompressed(answer.body, encoding);
      const size = stream === answer.body ? Number(headers['content-length'] ?? Number.NaN) : Number.NaN;
      return {
        status: answer.statusCode,
        headers,
        stream,
        received,
        size: Number.isSafeInteger(size) ? size : undefined,
      };
    },
    destroy: () => pool.destroy(),
  };
}

/** Calls `onStart` when a request is passed to a connected socket: before that, nothing of it can have arrived. */
function watchStart(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        onStart();
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}

/** Returns undici's code for what went wrong, or the error's name. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code ?? error.name;
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]);
  return Object.fromEntries(entries);
}
