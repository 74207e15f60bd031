/**
 * Sends one request over a pool of connections and reads its answer, or only its head. It neither retries nor interprets
 * answers.
 */
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { Deadline } from './deadline.ts';
import { decompressed } from './decompression.ts';
import type { EncodedBody, WireHeaders } from './request-body.ts';
import {
  type BodyTaker,
  BrokenResponse,
  encodingOf,
  handleResponse,
  type ResponseHead,
  type Wire,
} from './response-handler.ts';
import { collectBody, type WholeResponse } from './whole-response.ts';

export interface TransportRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: WireHeaders;
  readonly body: EncodedBody['body'];
  readonly deadline: Pick<Deadline, 'onEnd'>;
  /** Called with the head of the answer as soon as it arrives. */
  readonly onHead: (head: ResponseHead) => void;
  /** Whether {@link Transport.sendForWhole} leaves the answer as it was sent. */
  readonly asSent?: boolean | undefined;
}

/** An answer that is still arriving. */
export interface TransportResponse extends ResponseHead {
  /** Decompressed. Read it to its end or destroy it. */
  readonly stream: Readable;
  /** Bytes on the wire, if they equal those of the stream. */
  readonly size: number | undefined;
  /** Returns the number of bytes received over the wire, where they differ from those of the stream. */
  readonly received: (() => number) | undefined;
}

export interface Transport {
  /** Resolves with the head of the answer. Rejects with {@link NoResponse}. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Resolves to the whole answer, without creating a stream: for short answers, that would cost more than everything else.
   * Rejects with {@link NoResponse}, with {@link UnexpectedResponse} when it is longer than any should be, and with another
   * error when it breaks off.
   */
  sendForWhole(request: TransportRequest): Promise<WholeResponse>;
  destroy(): Promise<void>;
}

/** How long a stream may stall: the deadline of a call no longer applies once a file has begun to arrive (ms). */
const stallTimeoutMs = 60_000;
/** How much of a body is read ahead of the stream's reader (bytes). */
const bufferedBytes = 64 * 1024;

/**
 * Creates the transport of a client.
 * @param options `baseUrl` may have a path, which precedes every request's own. `dispatcher`: connections shared with
 * others; otherwise it has its own, `concurrency` of them.
 */
export function createTransport({
  baseUrl,
  dispatcher,
  concurrency,
}: {
  readonly baseUrl: string;
  readonly dispatcher: Dispatcher | undefined;
  readonly concurrency: number;
}): Transport {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/u, '');
  const connections = dispatcher ?? new Pool(base.origin, { connections: concurrency });

  function dispatch(
    { method, path, headers, body }: TransportRequest,
    bodyTimeout: number,
    handler: Dispatcher.DispatchHandler,
  ): void {
    // The deadline of the call is the only timeout: undici's own would interrupt a caller who is ready to wait.
    const headersTimeout = 0;
    connections.dispatch(
      { origin: base.origin, method, path: prefix + path, headers, body, headersTimeout, bodyTimeout },
      handler,
    );
  }

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const takeBody = (head: ResponseHead, wire: Wire) => {
          const body = createBodyStream(wire);
          resolve(toStreamed(head, body.stream));
          return body;
        };
        dispatch(request, stallTimeoutMs, handleResponse(request, takeBody, reject));
      }),
    sendForWhole: (request) =>
      new Promise((resolve, reject) => {
        const takeBody = (head: ResponseHead, wire: Wire) =>
          collectBody(head, wire, request.asSent === true, { resolve, reject });
        dispatch(request, 0, handleResponse(request, takeBody, reject));
      }),
    async destroy() {
      if (dispatcher === undefined) await connections.destroy();
    },
  };
}

function toStreamed(head: ResponseHead, body: Readable): TransportResponse {
  const { stream, received } = decompressed(body, encodingOf(head));
  const size = stream === body ? Number(head.header('content-length') ?? Number.NaN) : Number.NaN;
  return {
    status: head.status,
    header: head.header,
    stream,
    received,
    size: Number.isSafeInteger(size) ? size : undefined,
  };
}

/** Creates the stream of a body, which applies backpressure to the connection when its reader is slower. */
function createBodyStream(wire: Wire): BodyTaker & { readonly stream: Readable } {
  const stream = new Readable({
    highWaterMark: bufferedBytes,
    read: () => wire.resume(),
    destroy(error, done) {
      // Nobody reads the rest; after its end, this does nothing.
      wire.abort(error ?? new Error('not read to its end'));
      done(error);
    },
  });
  // It may break off before anybody reads it: a later reader then receives the error.
  stream.on('error', () => undefined);
  return {
    stream,
    push: (chunk) => stream.push(chunk),
    end: () => void stream.push(null),
    fail: (error) => void stream.destroy(new BrokenResponse(error)),
  };
}
