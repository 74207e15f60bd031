/** The one pipeline for every endpoint: attempts, retries, deadline, and the closing of the client. */
import { setMaxListeners } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type * as z from 'zod';
import { defaultRetryAfterMs, isRejectedUnprocessed } from './api-assumptions.ts';
import type { Datetimes } from './datetimes.ts';
import { type Endpoint, type FieldValues, type PathParams, pathWith } from './endpoint.ts';
import { type ErrorIds, TransportError, type TransportErrorKind } from './errors.ts';
import { describeIssues } from './field-schemas.ts';
import {
  createHttp,
  type HttpRequest,
  type HttpResponse,
  NoResponse,
  readText,
  UnexpectedResponse,
} from './http.ts';
import type { CallOptions, RequestInfo } from './interface.ts';
import { createRateLimiter, PausedBeyondDeadline, type Priority } from './rate-limiter.ts';
import { encodeBody, isReplayable, toWireFields, urlEncode, type WireField } from './request-body.ts';
import { authenticationError, idsIn, parseResponse, type ResponseContext } from './response-parser.ts';
import { backoffMs, type FailedAttempt, parseRetryAfter, shouldRetry } from './retry-policy.ts';

export interface PipelineOptions {
  readonly baseUrl: string;
  readonly dispatcher: Dispatcher | undefined;
  readonly apiKey: string;
  readonly keyHeader: string;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly deadlineMs: number;
  readonly datetimes: Datetimes;
  readonly onRequest: ((info: RequestInfo) => void) | undefined;
}

/** A request as its caller passes it. */
interface CallInput<Param extends string, Field extends string> {
  readonly params: Readonly<Record<Param, string>>;
  readonly fields?: FieldValues<Field> | undefined;
  /** Ids that a refusal concerns besides those in the path, for when the service does not name them. */
  readonly ids?: ErrorIds;
  readonly options: CallOptions | undefined;
}

/** The content of an answer: text to be parsed as JSON, or a file that is still arriving. */
export type ResponseContent = { readonly text: string } | { readonly file: Readable };

/** Reads an answer. */
type Receive<Content extends ResponseContent> = (response: HttpResponse) => Promise<Content>;

/** An answer: a SUCCESS that is not parsed yet, or a file that is still arriving. */
type Answer =
  | { readonly body: unknown; readonly status: number }
  | { readonly file: Readable; readonly response: HttpResponse };

/** An error thrown by the caller while it took an answer: not a failure of the exchange. */
export class CallerFailure extends Error {
  override readonly name = 'CallerFailure';

  constructor(cause: unknown) {
    super('the answer could not be taken', { cause });
  }
}

/** The reason why a call ended before it was done. */
class CallEnded extends Error {
  override readonly name = 'CallEnded';
  readonly kind: 'timeout' | 'aborted';

  constructor(kind: 'timeout' | 'aborted') {
    super(kind);
    this.kind = kind;
  }
}

/** A call, shared by all its attempts. */
interface Call {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly fields: readonly WireField[];
  readonly context: ResponseContext;
  readonly end: CallEnd;
  readonly receive: Receive<ResponseContent>;
}

/** Timeout of a large answer from its first byte on (ms). */
const largeAnswerMs = 120_000;
/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export function createPipeline(options: PipelineOptions) {
  const key = options.apiKey.trim();
  // A key that no header can carry is certainly wrong.
  const keyIsSendable = /^[\x21-\x7e\x80-\xff]+$/u.test(key);
  const redact = (text: string) =>
    key === '' ? text : text.replaceAll(key, '[key]').replaceAll(encodeURIComponent(key), '[key]');

  const http = createHttp(options);
  const rateLimiter = createRateLimiter(options);
  /** Calls in progress: close() waits for them. */
  const running = new Set<CallEnd>();
  let onIdle = () => {};
  /** Whether calls fail however often they are tried: meanwhile each is tried once. */
  let isAway = false;
  let closed: Promise<void> | undefined;

  function requestOf({ endpoint, params, fields, end }: Call): HttpRequest {
    const { method, body } = endpoint;
    const query = body === 'query' && fields.length > 0 ? `?${urlEncode(fields)}` : '';
    const encoded = body === 'form' || body === 'multipart' ? encodeBody(body, fields) : undefined;
    return {
      method,
      path: pathWith(endpoint, params) + query,
      headers: {
        accept: '*/*',
        // An uncompressed file announces its size, so that it can be streamed to Slack.
        'accept-encoding': endpoint.answer === 'file' ? 'identity' : 'gzip, br',
        [options.keyHeader]: key,
        ...encoded?.headers,
      },
      body: encoded?.body ?? null,
      signal: end.signal,
    };
  }

  /** Pauses every request of this client after a 429 or `Retry-After`, whatever the rest of the answer says. */
  function applyRetryAfter({ status, header }: HttpResponse): number | undefined {
    const after = header('retry-after');
    const requested = after === undefined ? undefined : parseRetryAfter(after, header('date'));
    const wait = requested ?? (status === 429 ? defaultRetryAfterMs : undefined);
    if (wait !== undefined) rateLimiter.pause(wait);
    return wait;
  }

  /** Makes one attempt of a call. Rejects only for a fault of our own, and with errors thrown by the caller. */
  async function attemptCall(call: Call, attempt: number): Promise<{ answer: Answer } | FailedAttempt> {
    const { endpoint, end } = call;
    const priority = priorityOf(endpoint);
    try {
      await rateLimiter.acquire(priority, end);
    } catch (error) {
      if (error instanceof PausedBeyondDeadline) return rateLimited(call, error.retryAfterMs);
      return failed(call, end.endedBy() ?? 'aborted', 'not sent in time', { mayBeApplied: false });
    }
    const startedAt = performance.now();
    let response: HttpResponse | undefined;
    let file: Readable | undefined;
    try {
      response = await http.send(requestOf(call));
      const retryAfterMs = applyRetryAfter(response);
      if (endpoint.answer === 'large') end.restart(largeAnswerMs);
      const content = await call.receive(response);
      if ('text' in content) return interpret(call, content.text, response.status, retryAfterMs);
      file = fileOf(call, content.file, response);
      return { answer: { file, response } };
    } catch (error) {
      response?.body.destroy();
      if (error instanceof CallerFailure) throw error.cause;
      return exchangeFailed(call, error, response?.status);
    } finally {
      // A file occupies its slot until it has arrived or is dropped.
      if (file === undefined) rateLimiter.release(priority);
      else file.once('close', () => rateLimiter.release(priority));
      const ms = performance.now() - startedAt;
      options.onRequest?.({ endpoint: endpoint.name, status: response?.status, ms, attempt });
    }
  }

  async function run(
    endpoint: Endpoint,
    input: Omit<CallInput<string, string>, 'fields'>,
    fields: readonly WireField[],
    receive: Receive<ResponseContent>,
  ): Promise<Answer> {
    const context = {
      operation: endpoint.name,
      ids: () => ({ ...idsIn(input.params), ...input.ids }),
      datetimes: options.datetimes,
      redact,
    };
    if (!keyIsSendable) throw authenticationError('API_KEY_WRONG', 'API KEY WRONG', context);
    if (closed) throw unchanged(endpoint, 'aborted', 'the client is closed');

    const end = createCallEnd(input.options?.deadlineMs ?? options.deadlineMs, input.options?.signal);
    const call: Call = { endpoint, params: input.params, fields, context, end, receive };
    let file: Readable | undefined;
    const settle = () => {
      end.dispose();
      running.delete(end);
      if (running.size === 0) onIdle();
    };
    running.add(end);
    try {
      for (let attempt = 1; ; attempt += 1) {
        const result = await attemptCall(call, attempt);
        if ('answer' in result) {
          isAway = false;
          if ('file' in result.answer) file = result.answer.file;
          return result.answer;
        }
        const { error } = result;
        const isLimited = error instanceof TransportError && error.kind === 'rate-limited';
        // After a 429 the rate limiter delays the next attempt anyway.
        const wait = isLimited ? 0 : backoffMs(attempt);
        const request = { idempotent: endpoint.idempotent, replayable: isReplayable(fields), attempt };
        if (isAway || !shouldRetry(result, request) || performance.now() + wait >= end.at) {
          isAway = result.isTransient && !isLimited && (isAway || attempt > 1);
          destroyStreams(fields);
          throw error;
        }
        await delay(wait, undefined, { signal: end.signal }).catch(() => undefined);
      }
    } finally {
      if (file === undefined) settle();
      else file.once('close', settle);
    }
  }

  async function shutDown(): Promise<void> {
    const timer = setTimeout(() => {
      for (const end of running) end.abort();
    }, options.deadlineMs);
    if (running.size > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    clearTimeout(timer);
    await http.destroy();
  }

  return {
    /**
     * Calls an endpoint that answers JSON. Rejects with MarketplaceError or TransportError.
     * @param receive reads the answer's text
     */
    async call<Path extends string, Field extends string, Response extends z.ZodType>(
      endpoint: Endpoint<Path, Field, Response>,
      input: CallInput<PathParams<Path>, Field>,
      receive: Receive<{ readonly text: string }> = readText,
    ): Promise<z.output<Response>> {
      const answer = await run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), receive);
      const parsed = endpoint.response.safeParse('body' in answer ? answer.body : undefined);
      if (parsed.success) return parsed.data;
      throw new TransportError({
        operation: endpoint.name,
        kind: 'unreadable',
        reason: redact(`an answer of another shape: ${describeIssues(parsed.error).join('; ')}`),
        mayHaveBeenApplied: !endpoint.idempotent,
        status: 'status' in answer ? answer.status : undefined,
      });
    },

    /** Calls an endpoint that answers a file; `receive` distinguishes the file from an error. Rejects likewise. */
    async download<Path extends string, Field extends string>(
      endpoint: Endpoint<Path, Field>,
      input: CallInput<PathParams<Path>, Field>,
      receive: Receive<ResponseContent>,
    ): Promise<{ file: Readable; response: HttpResponse }> {
      const answer = await run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), receive);
      if ('file' in answer) return answer;
      throw unchanged(endpoint, 'unreadable', 'an answer instead of a file');
    },

    /** Waits for pending calls (for at most the deadline of a call) and rejects later ones. */
    close(): Promise<void> {
      closed ??= shutDown();
      return closed;
    },
  };
}

/** The end of a call: its timeout, its caller's signal, or the closing of the client, whichever comes first. */
type CallEnd = ReturnType<typeof createCallEnd>;

function createCallEnd(ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort(new CallEnded('aborted'));
  const startTimer = (timeoutMs: number) =>
    setTimeout(() => controller.abort(new CallEnded('timeout')), Math.min(timeoutMs, maxTimerMs));
  let timer = startTimer(ms);
  // Each attempt listens, and one caller's signal may end any number of calls.
  setMaxListeners(0, signal, ...(caller ? [caller] : []));
  if (caller?.aborted) abort();
  caller?.addEventListener('abort', abort);
  return {
    signal,
    abort,
    /** Its deadline, on the clock of `performance.now()`. */
    at: performance.now() + ms,
    endedBy: (): CallEnded['kind'] | undefined =>
      signal.aborted ? (signal.reason as CallEnded).kind : undefined,
    /** Switches off the timeout but not the signals: a file has begun to arrive. */
    clearTimeout: () => clearTimeout(timer),
    /** Restarts the timeout, which may only become longer: a long answer has begun to arrive. */
    restart(timeoutMs: number) {
      clearTimeout(timer);
      timer = startTimer(Math.max(ms, timeoutMs));
    },
    dispose() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

function priorityOf({ isRating, answer }: Endpoint): Priority {
  if (isRating) return 'rating';
  return answer === undefined ? 'ordinary' : 'bulk';
}

function interpret(
  call: Call,
  text: string,
  status: number,
  retryAfterMs: number | undefined,
): { answer: Answer } | FailedAttempt {
  const answer = parseResponse(text, status, call.context);
  if (answer.kind === 'success') return { answer: { body: answer.body, status } };
  const isKnown = answer.kind === 'refused' && answer.error.code !== 'OTHER';
  if (status === 429 && !isKnown) return rateLimited(call, retryAfterMs);
  if (answer.kind === 'refused') {
    // A read that failed inside the service may succeed a moment later.
    return { error: answer.error, isTransient: status >= 500 && answer.error.code === 'SYSTEM_ERROR' };
  }
  if (status < 300)
    return failed(call, 'unreadable', 'an answer of another shape', { status, isTransient: true });
  return failed(call, 'http', `HTTP status ${status}`, {
    status,
    retryAfterMs,
    mayBeApplied: !isRejectedUnprocessed(status),
    isTransient: status >= 500 || status === 408,
  });
}

/** Returns the failed attempt for an exchange that threw. */
function exchangeFailed(call: Call, error: unknown, status: number | undefined): FailedAttempt {
  const mayBeApplied = error instanceof NoResponse ? error.isSent : true;
  const endedBy = call.end.endedBy();
  if (endedBy) return failed(call, endedBy, 'no answer in time', { mayBeApplied, status });
  if (error instanceof UnexpectedResponse) return failed(call, 'unreadable', error.message, { status });
  const reason = error instanceof NoResponse ? `no answer (${error.message})` : 'the answer broke off';
  return failed(call, 'connection', reason, { mayBeApplied, status, isTransient: true });
}

/** Returns the failure of a request that was asked to wait: it was certainly not carried out. */
function rateLimited(call: Call, retryAfterMs: number | undefined): FailedAttempt {
  const more = { retryAfterMs, mayBeApplied: false, isTransient: true };
  return failed(call, 'rate-limited', 'asked to slow down', more);
}

function failed(
  { endpoint, context }: Call,
  kind: TransportErrorKind,
  reason: string,
  {
    mayBeApplied = true,
    isTransient = false,
    ...more
  }: {
    readonly status?: number | undefined;
    readonly retryAfterMs?: number | undefined;
    /** Whether a write may have been carried out. */
    readonly mayBeApplied?: boolean;
    readonly isTransient?: boolean;
  },
): FailedAttempt {
  const error = new TransportError({
    operation: endpoint.name,
    kind,
    reason: context.redact(reason),
    mayHaveBeenApplied: !endpoint.idempotent && mayBeApplied,
    ...more,
  });
  return { error, isTransient };
}

/**
 * Returns the file of a call, which fails in our own words: undici's would not name its purpose. The caller's signal still
 * applies to it, the timeout does not.
 */
function fileOf({ endpoint, end }: Call, content: Readable, { body }: HttpResponse): Readable {
  end.clearTimeout();
  const file = new PassThrough();
  // It may break off before anybody reads it: a later reader then receives the error.
  file.on('error', () => undefined);
  file.once('close', () => body.destroy());
  const fail = (error: Error) => {
    const endedBy = end.endedBy();
    if (endedBy !== undefined) file.destroy(unchanged(endpoint, endedBy, 'aborted while the file arrived'));
    else if (error instanceof UnexpectedResponse)
      file.destroy(unchanged(endpoint, 'unreadable', error.message));
    else file.destroy(unchanged(endpoint, 'connection', 'the file broke off'));
  };
  content.once('error', fail);
  body.once('error', fail);
  return content.pipe(file);
}

/** Returns a failure after which nothing was changed. */
function unchanged({ name: operation }: Endpoint, kind: TransportErrorKind, reason: string): TransportError {
  return new TransportError({ operation, kind, reason, mayHaveBeenApplied: false });
}

/** Closes the streams of an upload: they are ours to close, even when they were never sent. */
function destroyStreams(fields: readonly WireField[]): void {
  for (const [, value] of fields) {
    if (typeof value !== 'string' && typeof value.stream !== 'function') value.stream.destroy();
  }
}
