/**
 * One attempt of a call: its slot in the rate limit, its request, and the interpretation of its answer. The pipeline
 * retries.
 */
import type { Readable } from 'node:stream';
import { defaultRetryAfterMs, isRejectedUnprocessed } from './api-assumptions.ts';
import type { Deadline } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { TransportError, type TransportErrorKind } from './errors.ts';
import type { RequestInfo } from './interface.ts';
import { PausedBeyondDeadline, type Priority, type RateLimiter } from './rate-limiter.ts';
import { encodeBody, urlEncode, type WireField, type WireHeaders } from './request-body.ts';
import { NoResponse, type ResponseHead } from './response-handler.ts';
import { parseResponse, type ResponseContext } from './response-parser.ts';
import { type FailedAttempt, parseRetryAfter } from './retry-policy.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { UnexpectedResponse } from './unexpected-response.ts';
import type { WholeResponse } from './whole-response.ts';

/** The content of an answer: text to be parsed as JSON, or a file that is still arriving. */
export type ResponseContent = { readonly text: string } | { readonly file: Readable };

/** An error thrown by the caller while it took an answer: not a failure of the exchange. */
export class CallerFailure extends Error {
  override readonly name = 'CallerFailure';

  constructor(cause: unknown) {
    super('the answer could not be taken', { cause });
  }
}

/** A call, shared by all its attempts. */
export interface Call<T> {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly fields: readonly WireField[];
  readonly context: ResponseContext;
  readonly deadline: Deadline;
  /** Reads an answer that must not be held as a whole; undefined for all others. */
  readonly receive: ((response: TransportResponse) => Promise<ResponseContent>) | undefined;
  /** Whether `textOf` receives the answer as it was sent. */
  readonly asSent: boolean | undefined;
  /** Returns the text of an answer held as a whole. */
  textOf(response: WholeResponse): string | Promise<string>;
  /**
   * Returns the value of a SUCCESS answer. Throws {@link UnexpectedResponse} when it does not match the API's description.
   */
  parse(body: unknown): T;
  /** Returns the value of a file. */
  openFile(file: Readable, response: TransportResponse): T;
}

/** Makes one attempt of a call. Rejects only for a fault of our own, and with errors thrown by the caller. */
export type AttemptCall = <T>(
  call: Call<T>,
  attempt: number,
) => Promise<{ readonly value: T } | FailedAttempt>;

export function createAttempt(parts: {
  readonly transport: Transport;
  readonly rateLimiter: RateLimiter;
  /** Headers of every request, including the key. */
  readonly headers: WireHeaders;
  readonly onRequest: ((info: RequestInfo) => void) | undefined;
}): AttemptCall {
  const { transport, rateLimiter } = parts;

  // An uncompressed file announces its size, so that it can be streamed to Slack.
  const fileHeaders = [...parts.headers, 'accept-encoding', 'identity'];
  const ordinaryHeaders = [...parts.headers, 'accept-encoding', 'gzip, br'];

  function buildRequest(
    { endpoint, params, fields, deadline, asSent }: Call<unknown>,
    onHead: TransportRequest['onHead'],
  ): TransportRequest {
    const query = endpoint.body === 'query' && fields.length > 0 ? `?${urlEncode(fields)}` : '';
    const encoded =
      endpoint.body === 'form' || endpoint.body === 'multipart'
        ? encodeBody(endpoint.body, fields)
        : undefined;
    const headers = endpoint.answer === 'file' ? fileHeaders : ordinaryHeaders;
    return {
      method: endpoint.method,
      path: endpoint.pathWith(params) + query,
      headers: encoded === undefined ? headers : [...headers, ...encoded.headers],
      body: encoded?.body ?? null,
      deadline,
      onHead,
      asSent,
    };
  }

  /** Pauses every request of this client after a 429 or `Retry-After`, whatever the rest of the answer says. */
  function applyRetryAfter(response: ResponseHead): number | undefined {
    const after = response.header('retry-after');
    const requested = after === undefined ? undefined : parseRetryAfter(after, response.header('date'));
    const wait = requested ?? (response.status === 429 ? defaultRetryAfterMs : undefined);
    if (wait !== undefined) rateLimiter.pause(wait);
    return wait;
  }

  return async (call, attempt) => {
    const { deadline, endpoint } = call;
    const priority = priorityOf(endpoint);
    const slot = rateLimiter.acquire(deadline, priority);
    try {
      if (slot !== undefined) await slot;
    } catch (error) {
      if (error instanceof PausedBeyondDeadline) return rateLimited(call, error.retryAfterMs);
      return failed(call, deadline.endedBy() ?? 'aborted', 'not sent in time', { mayBeApplied: false });
    }
    const startedAt = performance.now();
    let status: number | undefined;
    let retryAfterMs: number | undefined;
    let file: Readable | undefined;
    try {
      const request = buildRequest(call, (head) => {
        status = head.status;
        retryAfterMs = applyRetryAfter(head);
      });
      if (call.receive === undefined) {
        const response = await transport.sendForWhole(request);
        const text = call.textOf(response);
        return interpret(call, typeof text === 'string' ? text : await text, response.status, retryAfterMs);
      }
      const response = await transport.send(request);
      const content = await call.receive(response);
      if ('text' in content) return interpret(call, content.text, response.status, retryAfterMs);
      file = content.file;
      return { value: call.openFile(file, response) };
    } catch (error) {
      if (error instanceof CallerFailure) throw error.cause;
      return exchangeFailed(call, error, status);
    } finally {
      // A file occupies its slot until it has arrived or is dropped.
      if (file === undefined || file.closed) rateLimiter.release(priority);
      else file.once('close', () => rateLimiter.release(priority));
      parts.onRequest?.({ endpoint: endpoint.name, status, ms: performance.now() - startedAt, attempt });
    }
  };
}

function priorityOf({ isRating, answer }: Endpoint): Priority {
  if (isRating) return 'rating';
  return answer === undefined ? 'ordinary' : 'bulk';
}

function interpret<T>(
  call: Call<T>,
  text: string,
  status: number,
  retryAfterMs: number | undefined,
): { readonly value: T } | FailedAttempt {
  const answer = parseResponse(text, status, call.context);
  if (answer.kind === 'success') return { value: call.parse(answer.body) };
  const isKnown = answer.kind === 'refused' && answer.error.code !== 'OTHER';
  if (status === 429 && !isKnown) return rateLimited(call, retryAfterMs);
  if (answer.kind === 'refused') {
    // A read that failed inside the service may succeed a moment later.
    return { error: answer.error, isTransient: status >= 500 && answer.error.code === 'SYSTEM_ERROR' };
  }
  if (status < 300) {
    return failed(call, 'unreadable', 'an answer of another shape', { status, isTransient: true });
  }
  return failed(call, 'http', `HTTP status ${status}`, {
    status,
    retryAfterMs,
    mayBeApplied: !isRejectedUnprocessed(status),
    isTransient: status >= 500 || status === 408,
  });
}

/** Returns the failed attempt for an exchange that threw. */
function exchangeFailed(call: Call<unknown>, error: unknown, status: number | undefined): FailedAttempt {
  const mayBeApplied = error instanceof NoResponse ? error.sent : true;
  const endedBy = call.deadline.endedBy();
  if (endedBy) return failed(call, endedBy, 'no answer in time', { mayBeApplied, status });
  if (error instanceof UnexpectedResponse) return failed(call, 'unreadable', error.message, { status });
  const reason = error instanceof NoResponse ? `no answer (${error.message})` : 'the answer broke off';
  return failed(call, 'connection', reason, { mayBeApplied, status, isTransient: true });
}

/** Returns the failure of a request that was asked to wait: it was certainly not carried out. */
function rateLimited(call: Call<unknown>, retryAfterMs: number | undefined): FailedAttempt {
  return failed(call, 'rate-limited', 'asked to slow down', {
    retryAfterMs,
    mayBeApplied: false,
    isTransient: true,
  });
}

function failed(
  { endpoint, context }: Call<unknown>,
  kind: TransportErrorKind,
  reason: string,
  more: {
    status?: number | undefined;
    retryAfterMs?: number | undefined;
    /** Whether a write may have been carried out; true by default. */
    mayBeApplied?: boolean;
    isTransient?: boolean;
  },
): FailedAttempt {
  const error = new TransportError({
    operation: endpoint.name,
    kind,
    reason: context.redact(reason),
    mayHaveBeenApplied: !endpoint.idempotent && (more.mayBeApplied ?? true),
    ...(more.status === undefined ? {} : { status: more.status }),
    ...(more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs }),
  });
  return { error, isTransient: more.isTransient ?? false };
}
