/** One attempt of a call: its turn, its request, and what its answer means. Repetition is the pipeline's business. */
import type { Readable } from 'node:stream';
import { type AnswerContext, readAnswer } from './answers.ts';
import { encodeBody, type Part, urlEncode } from './bodies.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { TransportError, type TransportErrorKind } from './errors.ts';
import type { RequestInfo } from './interface.ts';
import { type Pace, PausedTooLong } from './pace.ts';
import { type Failed, readRetryAfter } from './retries.ts';
import { howLongIsA429WithoutRetryAfterMs, wasItTurnedAwayUnread } from './silent-points.ts';
import { NoResponse, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

/** What an answer holds: text to be read as JSON, or a file that goes on arriving. */
export type Received = { readonly text: string } | { readonly file: Readable };

/** A call as all its attempts see it. */
export interface Call<T> {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  readonly context: AnswerContext;
  readonly deadline: Deadline;
  receive(response: TransportResponse): Promise<Received>;
  /** The value of a SUCCESS answer. Throws {@link Unreadable} when it is not what the API describes. */
  read(body: unknown): T;
  /** The value of a file. */
  open(file: Readable, response: TransportResponse): T;
}

/** An answer that says SUCCESS and is not what the API describes: asking again would change nothing. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export interface Attempts {
  /** Never rejects with anything but a fault of ours. */
  once<T>(call: Call<T>, attempt: number): Promise<{ readonly value: T } | Failed>;
}

export function createAttempts(parts: {
  readonly transport: Transport;
  readonly pace: Pace;
  /** Headers of every request, the key among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onRequest: ((info: RequestInfo) => void) | undefined;
}): Attempts {
  const { transport, pace } = parts;

  function toRequest({ endpoint, params, parts: fields, deadline }: Call<unknown>): TransportRequest {
    const path = endpoint.path.replace(/\{(\w+)\}/gu, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const query = endpoint.body === 'query' && fields.length > 0 ? `?${urlEncode(fields)}` : '';
    const { headers, body } =
      endpoint.body === 'form' || endpoint.body === 'multipart'
        ? encodeBody(endpoint.body, fields)
        : { headers: {}, body: null };
    return {
      method: endpoint.method,
      path: path + query,
      headers: { ...parts.headers, ...headers },
      body,
      signal: deadline.signal,
    };
  }

  /** A 429 or `Retry-After` holds every request of this client, whatever else the answer says. */
  function obeyPause(response: TransportResponse): number | undefined {
    const told = readRetryAfter(response.headers['retry-after']);
    const wait = told ?? (response.status === 429 ? howLongIsA429WithoutRetryAfterMs : undefined);
    if (wait !== undefined) pace.pause(wait);
    return wait;
  }

  async function exchange<T>(call: Call<T>, note: { status?: number; file?: Readable }) {
    const response = await transport.send(toRequest(call));
    note.status = response.status;
    const retryAfterMs = obeyPause(response);
    const received = await call.receive(response);
    if ('file' in received) {
      note.file = received.file;
      return { value: call.open(received.file, response) };
    }
    return interpret(call, received.text, response.status, retryAfterMs);
  }

  return {
    async once(call, attempt) {
      let leave: () => void;
      try {
        leave = await pace.enter(call.deadline.signal, call.deadline.at);
      } catch (error) {
        if (error instanceof PausedTooLong) return rateLimited(call, error.retryAfterMs);
        return failed(call, call.deadline.ended() ?? 'aborted', 'not sent in time', { applied: false });
      }
      const began = performance.now();
      const note: { status?: number; file?: Readable } = {};
      try {
        return await exchange(call, note);
      } catch (error) {
        return brokenOff(call, error, note.status);
      } finally {
        const ms = performance.now() - began;
        // A file holds its place among the requests under way until it has arrived or is given up.
        if (note.file === undefined || note.file.closed) leave();
        else note.file.once('close', leave);
        parts.onRequest?.({ endpoint: call.endpoint.name, status: note.status, ms, attempt });
      }
    },
  };
}

function interpret<T>(
  call: Call<T>,
  text: string,
  status: number,
  retryAfterMs: number | undefined,
): { readonly value: T } | Failed {
  const answer = readAnswer(text, status, call.context);
  if (answer.kind === 'success') return { value: call.read(answer.body) };
  const known = answer.kind === 'refused' && answer.error.code !== 'OTHER';
  if (status === 429 && !known) return rateLimited(call, retryAfterMs);
  if (answer.kind === 'refused') {
    // A read that failed inside the service may succeed a moment later.
    return { error: answer.error, passing: status >= 500 && answer.error.code === 'SYSTEM_ERROR' };
  }
  if (status < 300) {
    return failed(call, 'unreadable', 'an answer of another shape', { status, passing: true });
  }
  return failed(call, 'http', `HTTP status ${status}`, {
    status,
    retryAfterMs,
    applied: !wasItTurnedAwayUnread(status),
    passing: status >= 500 || status === 408,
  });
}

/** What an exchange that threw says of the request. */
function brokenOff(call: Call<unknown>, error: unknown, status: number | undefined): Failed {
  const applied = error instanceof NoResponse ? error.sent : true;
  const ended = call.deadline.ended();
  if (ended) return failed(call, ended, 'no answer in time', { applied, status });
  if (error instanceof Unreadable) return failed(call, 'unreadable', error.message, { status });
  const reason = error instanceof NoResponse ? `no answer (${error.message})` : 'the answer broke off';
  return failed(call, 'connection', reason, { applied, status, passing: true });
}

/** A request that was asked to wait was certainly not carried out. */
function rateLimited(call: Call<unknown>, retryAfterMs: number | undefined): Failed {
  return failed(call, 'rate-limited', 'asked to slow down', { retryAfterMs, applied: false, passing: true });
}

function failed(
  { endpoint, context }: Call<unknown>,
  kind: TransportErrorKind,
  reason: string,
  more: {
    status?: number | undefined;
    retryAfterMs?: number | undefined;
    /** Whether a write may have been carried out; true unless said otherwise. */
    applied?: boolean;
    passing?: boolean;
  },
): Failed {
  const error = new TransportError({
    operation: endpoint.name,
    kind,
    reason: context.redact(reason),
    mayHaveBeenApplied: !endpoint.idempotent && (more.applied ?? true),
    ...(more.status === undefined ? {} : { status: more.status }),
    ...(more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs }),
  });
  return { error, passing: more.passing ?? false };
}
