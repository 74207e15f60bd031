/** The one pipeline for every endpoint: attempts, retries, deadline, and its closing. */
import { setMaxListeners } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type * as z from 'zod';
import {
  defaultKeyHeader,
  defaultRetryAfterMs,
  emptyListCodes,
  isRejectedUnprocessed,
  maxConcurrentRequests,
  maxRequestsPerSecond,
} from './api-assumptions.ts';
import type { Datetimes } from './datetimes.ts';
import { type Endpoint, type PathParams, pathWith } from './endpoints.ts';
import { type CallFailure, MarketplaceError, TransportError, type TransportErrorKind } from './errors.ts';
import {
  createHttp,
  encodeBody,
  type Fields,
  type HttpRequest,
  type HttpResponse,
  isReplayable,
  NoResponse,
  parseResponse,
  type ResponseContext,
  readText,
  toWireFields,
  UnexpectedResponse,
  urlEncode,
} from './http.ts';
import { createRateLimiter, PausedBeyondDeadline, type Priority } from './rate-limiter.ts';
import { describeIssues, type FileAnswer } from './schemas.ts';
import type { CallOptions, ConnectionOptions, RequestInfo } from './types.ts';

/** A request as its caller passes it. */
export interface CallInput<Param extends string = string> {
  readonly params: Readonly<Record<Param, string>>;
  /** In the order of sending. */
  readonly fields?: Fields;
  readonly options: CallOptions | undefined;
  /** Reads the answer; by default its whole text. */
  readonly receive?: Receive;
}

/** The content of an answer: text to be parsed as JSON, or a file that is still arriving. */
export type ResponseContent = { readonly text: string } | { readonly file: Readable };

type Receive = (response: HttpResponse) => Promise<ResponseContent>;

/** A SUCCESS that is not parsed yet. */
interface Answer {
  readonly body: unknown;
  readonly status: number;
  /** The file in the body, which is still arriving. */
  readonly file?: Readable;
}

/** An error thrown by the caller while it took an answer: not a failure of the exchange. */
export class CallerFailure extends Error {
  override readonly name = 'CallerFailure';

  constructor(cause: unknown) {
    super('the answer could not be taken', { cause });
  }
}

/** A call, shared by all its attempts. */
interface Call {
  readonly endpoint: Endpoint;
  readonly input: CallInput;
  readonly context: ResponseContext;
  readonly end: CallEnd;
}

/** A failed attempt. */
interface FailedAttempt {
  readonly error: CallFailure;
  /** Whether the same request may succeed a moment later. */
  readonly isTransient: boolean;
}

const defaultDeadlineMs = 15_000;
/** Timeout of a large answer from its first byte on (ms). */
const largeAnswerMs = 120_000;
/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;
const maxAttempts = 4;
const initialBackoffMs = 250;
const maxBackoffMs = 5000;

/** Calls endpoints with one key. */
export type Pipeline = ReturnType<typeof createPipeline>;

export function createPipeline({
  baseUrl,
  dispatcher,
  apiKey,
  keyHeader = defaultKeyHeader,
  concurrency = maxConcurrentRequests,
  requestsPerSecond = maxRequestsPerSecond,
  deadlineMs = defaultDeadlineMs,
  onRequest,
  datetimes,
}: ConnectionOptions & { readonly datetimes: Datetimes }) {
  const key = apiKey.trim();
  // A key that no header can carry is certainly wrong.
  const keyIsSendable = /^[\x21-\x7e\x80-\xff]+$/u.test(key);
  const redact = (text: string) =>
    key === '' ? text : text.replaceAll(key, '[key]').replaceAll(encodeURIComponent(key), '[key]');

  const http = createHttp({ baseUrl, dispatcher, concurrency });
  const rateLimiter = createRateLimiter({ concurrency, requestsPerSecond });
  /** Calls in progress. */
  const running = new Set<CallEnd>();
  /** Whether calls fail however often they are tried: meanwhile each is tried once. */
  let isAway = false;
  let isClosed = false;

  function requestOf({ endpoint, input, end }: Call): HttpRequest {
    const fields = input.fields && toWireFields(input.fields);
    const isQuery = endpoint.method === 'GET';
    const query = isQuery && fields !== undefined ? urlEncode(fields) : '';
    const encoded = isQuery || fields === undefined ? undefined : encodeBody(fields, endpoint.isMultipart);
    return {
      method: endpoint.method,
      path: pathWith(endpoint, input.params) + (query === '' ? '' : `?${query}`),
      headers: {
        accept: '*/*',
        // An uncompressed file announces its size, so that it can be streamed to Slack.
        'accept-encoding': endpoint.answer === 'file' ? 'identity' : 'gzip, br',
        [keyHeader]: key,
        ...encoded?.headers,
      },
      body: encoded?.body ?? null,
      signal: end.signal,
    };
  }

  /** Pauses every request of this key after a 429 or `Retry-After`, whatever the rest of the answer says. */
  function applyRetryAfter({ status, header }: HttpResponse): number | undefined {
    const requested = parseRetryAfter(header('retry-after'));
    const wait = requested ?? (status === 429 ? defaultRetryAfterMs : undefined);
    if (wait !== undefined) rateLimiter.pause(wait);
    return wait;
  }

  /** Makes one attempt of a call. Rejects only for a fault of our own, and with errors thrown by the caller. */
  async function attemptCall(call: Call, attempt: number): Promise<Answer | FailedAttempt> {
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
    let result: RequestInfo['result'] = 'ok';
    const seen = (ended: Answer | FailedAttempt) => {
      if ('error' in ended) result = resultOf(ended.error);
      return ended;
    };
    try {
      response = await http.send(requestOf(call));
      const retryAfterMs = applyRetryAfter(response);
      if (endpoint.answer === 'large') end.restart(largeAnswerMs);
      const content = await (call.input.receive ?? readText)(response);
      if ('text' in content) return seen(interpret(call, content.text, response.status, retryAfterMs));
      file = fileOf(call, content.file, response);
      return { body: { file, response } satisfies FileAnswer, status: response.status, file };
    } catch (error) {
      response?.body.destroy();
      if (error instanceof CallerFailure) throw error.cause;
      return seen(exchangeFailed(call, error, response?.status));
    } finally {
      const release = () => rateLimiter.release(priority);
      if (file === undefined) release();
      else file.once('close', release);
      const ms = performance.now() - startedAt;
      onRequest?.({ endpoint: endpoint.name, status: response?.status, result, ms, attempt });
    }
  }

  async function run(endpoint: Endpoint, input: CallInput): Promise<Answer> {
    const { fields, options } = input;
    const operation = endpoint.name;
    if (!keyIsSendable)
      throw new MarketplaceError({ operation, code: 'API_KEY_WRONG', text: 'API KEY WRONG' });
    if (isClosed) throw unchanged(endpoint, 'aborted', 'the client is closed');

    const end = createCallEnd(options?.deadlineMs ?? deadlineMs, options?.signal);
    const context = { operation, datetimes, redact };
    const call: Call = { endpoint, input, context, end };
    let file: Readable | undefined;
    const settle = () => {
      end.dispose();
      running.delete(end);
    };
    running.add(end);
    try {
      for (let attempt = 1; ; attempt += 1) {
        const result = await attemptCall(call, attempt);
        if ('body' in result) {
          isAway = false;
          ({ file } = result);
          return result;
        }
        const { error, isTransient } = result;
        const isLimited = error instanceof TransportError && error.kind === 'rate-limited';
        // After a 429 the rate limiter delays the next attempt anyway.
        const wait = isLimited ? 0 : backoffMs(attempt);
        const isLast = isAway || attempt === maxAttempts || performance.now() + wait >= end.at;
        if (isLast || !mayRepeat(call, result)) {
          isAway = isTransient && !isLimited && (isAway || attempt > 1);
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

  return {
    /** Calls an endpoint. Rejects with MarketplaceError or TransportError. */
    async call<Path extends string, Response extends z.ZodType>(
      endpoint: Endpoint<Path, Response>,
      input: CallInput<PathParams<Path>>,
    ): Promise<z.output<Response>> {
      const { body, status } = await run(endpoint, input);
      const parsed = endpoint.response.safeParse(body);
      if (parsed.success) return parsed.data;
      throw new TransportError({
        operation: endpoint.name,
        kind: 'unreadable',
        reason: redact(`an answer of another shape: ${describeIssues(parsed.error).join('; ')}`),
        mayHaveBeenApplied: endpoint.method !== 'GET',
        status,
      });
    },

    /** Ends pending calls and rejects later ones. */
    async close(): Promise<void> {
      isClosed = true;
      for (const end of running) end.abort();
      await http.destroy();
    },
  };
}

/** The end of a call: its timeout, its caller's signal, or the closing of the client, whichever comes first. */
type CallEnd = ReturnType<typeof createCallEnd>;

function createCallEnd(ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  let endedBy: 'timeout' | 'aborted' | undefined;
  const end = (by: 'timeout' | 'aborted') => {
    endedBy ??= by;
    controller.abort();
  };
  const abort = () => end('aborted');
  const startTimer = (timeoutMs: number) => setTimeout(end, Math.min(timeoutMs, maxTimerMs), 'timeout');
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
    endedBy: () => endedBy,
    /** Switches off the timeout but not the signals: a file has begun to arrive. */
    clearTimeout: () => clearTimeout(timer),
    /** Restarts the timeout: a long answer has begun to arrive. */
    restart(timeoutMs: number) {
      clearTimeout(timer);
      timer = startTimer(timeoutMs);
    },
    dispose() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

/** Returns the result of an attempt that failed. An empty list is an answer like any other. */
function resultOf(error: CallFailure): RequestInfo['result'] {
  if (error instanceof TransportError) return error.kind;
  return emptyListCodes.some((code) => code === error.code) ? 'ok' : 'refused';
}

function priorityOf({ isRating, answer }: Endpoint): Priority {
  if (isRating) return 'rating';
  return answer === undefined ? 'ordinary' : 'bulk';
}

/**
 * Returns whether a failed request may be sent again. A read may, after any transient failure; a write only when it
 * certainly was not sent or was rejected unprocessed (`mayHaveBeenApplied` is false), and its body can be sent again.
 */
function mayRepeat({ endpoint, input }: Call, { error, isTransient }: FailedAttempt): boolean {
  if (!isTransient || !isReplayable(input.fields)) return false;
  if (endpoint.method === 'GET') return true;
  return error instanceof TransportError && !error.mayHaveBeenApplied;
}

/** Returns the wait after an attempt: exponential backoff with full jitter, so that clients do not retry in step. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(maxBackoffMs, initialBackoffMs * 2 ** (attempt - 1));
}

/** Returns `Retry-After` in milliseconds from now; undefined when it is neither seconds nor an HTTP date. */
function parseRetryAfter(header = ''): number | undefined {
  const value = header.trim();
  if (/^\d+(?:\.\d+)?$/u.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function interpret(
  call: Call,
  text: string,
  status: number,
  retryAfterMs: number | undefined,
): Answer | FailedAttempt {
  const answer = parseResponse(text, status, call.context);
  if (answer.kind === 'success') return { body: answer.body, status };
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
    isTransient: status >= 500,
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
  }: Pick<TransportError, 'status' | 'retryAfterMs'> & {
    /** Whether a write may have been carried out. */
    readonly mayBeApplied?: boolean;
    readonly isTransient?: boolean;
  },
): FailedAttempt {
  const error = new TransportError({
    operation: endpoint.name,
    kind,
    reason: context.redact(reason),
    mayHaveBeenApplied: endpoint.method !== 'GET' && mayBeApplied,
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
function destroyStreams(fields: Fields = {}): void {
  for (const [, value] of toWireFields(fields)) {
    if (typeof value !== 'string') value.stream.destroy();
  }
}
