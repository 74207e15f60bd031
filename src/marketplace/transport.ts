/** Sends one request over a pool of connections and reads its answer, or only the head of it. Knows no retries and no meaning. */
import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { Deadline } from './deadline.ts';
import { decompressed } from './decompression.ts';
import type { EncodedBody } from './request-body.ts';
import {
  encodingOf,
  joinHeaders,
  NoResponse,
  type ResponseHead,
  reasonOf,
  takeWhole,
  type WholeResponse,
} from './whole-response.ts';

export interface TransportRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: EncodedBody['body'];
  readonly deadline: Pick<Deadline, 'onEnd' | 'signal'>;
  /** Learns the head of the answer as soon as it is there. */
  readonly onHead: (head: ResponseHead) => void;
  /** Whether {@link Transport.sendForWhole} leaves the answer as it was sent. */
  readonly asSent?: boolean | undefined;
}

/** An answer that is still arriving. */
export interface TransportResponse extends ResponseHead {
  /** Decompressed. Read it to its end or destroy it. */
  readonly stream: Readable;
  /** Bytes on the wire, when they are the bytes of the stream too. */
  readonly size: number | undefined;
  /** Returns how many bytes have come over the wire, where these are not those of the stream. */
  readonly received: (() => number) | undefined;
}

export interface Transport {
  /** Resolves with the head of the answer. Rejects with {@link NoResponse}. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Resolves with the whole answer, without making a stream of it: with short answers, that would cost more than all else.
   * Rejects with {@link NoResponse}, with {@link UnexpectedResponse} when it is longer than any should be, and with another
   * error when it breaks off.
   */
  sendForWhole(request: TransportRequest): Promise<WholeResponse>;
  destroy(): Promise<void>;
}

/** How long a body may stall: the deadline of a call no longer applies once a file has begun to arrive. */
const bodyTimeoutMs = 60_000;
/** `baseUrl` may have a path, which stands before every request's own. */
export function createTransport(baseUrl: string, connections: number): Transport {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/u, '');
  const pool = new Pool(base.origin, { connections, pipelining: 1, bodyTimeout: bodyTimeoutMs });
  const optionsOf = ({ method, path, headers, body }: TransportRequest) => ({
    method,
    path: prefix + path,
    headers,
    body,
    // The deadline of the call is the only clock: undici's own would cut a caller short who is ready to wait.
    headersTimeout: 0,
  });

  return {
    async send(request) {
      let sent = false;
      const dispatcher = pool.compose(watchStart(() => (sent = true)));
      let answer: Dispatcher.ResponseData;
      try {
        answer = await dispatcher.request({ ...optionsOf(request), signal: request.deadline.signal });
      } catch (error) {
        throw new NoResponse(reasonOf(error), sent);
      }
      const head = { status: answer.statusCode, headers: joinHeaders(answer.headers) };
      request.onHead(head);
      const { stream, received } = decompressed(answer.body, encodingOf(head));
      const size = stream === answer.body ? Number(head.headers['content-length'] ?? Number.NaN) : Number.NaN;
      return { ...head, stream, received, size: Number.isSafeInteger(size) ? size : undefined };
    },
    sendForWhole: (request) =>
      new Promise((resolve, reject) => {
        pool.dispatch(optionsOf(request), takeWhole(request, resolve, reject));
      }),
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
