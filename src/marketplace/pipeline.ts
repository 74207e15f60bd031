/** The one pipeline for every endpoint: attempts, retries, deadline, and the closing of the client. */
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import type { Datetimes } from './datetimes.ts';
import { type CallsUnderWay, startDeadline } from './deadline.ts';
import type { Endpoint, FieldValues, PathParams } from './endpoint.ts';
import { type ErrorIds, TransportError, type TransportErrorKind } from './errors.ts';
import { describeIssues } from './field-schemas.ts';
import type { CallOptions, RequestInfo } from './interface.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { type Call, createAttempt, type ResponseContent } from './request-attempt.ts';
import { isReplayable, toWireFields, type WireField } from './request-body.ts';
import { authenticationError } from './response-parser.ts';
import { backoffMs, shouldRetry } from './retry-policy.ts';
import { safeParse } from './schema-parser.ts';
import { createTransport, type TransportResponse } from './transport.ts';
import { UnexpectedResponse } from './unexpected-response.ts';
import type { WholeResponse } from './whole-response.ts';

export interface PipelineOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyHeader: string;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  readonly deadlineMs: number;
  readonly datetimes: Datetimes;
  readonly onRequest: ((info: RequestInfo) => void) | undefined;
}

/** A request as its caller passes it. */
export interface CallInput<Param extends string, Field extends string> {
  readonly params: Readonly<Record<Param, string>>;
  readonly fields?: FieldValues<Field> | undefined;
  /** What a refusal is about beyond what the path names, where the service does not say. */
  readonly ids?: ErrorIds;
  readonly options: CallOptions | undefined;
}

/** How the text of an answer is read, where that is not all of it. */
export type ReadText =
  | {
      /** `textOf` gets the answer as it was sent, compressed or not. */
      readonly asSent: true;
      readonly textOf: (response: WholeResponse) => Promise<string>;
    }
  | { readonly receive: (response: TransportResponse) => Promise<{ readonly text: string }> };

export interface Pipeline {
  /**
   * Calls an endpoint that answers JSON. Rejects with MarketplaceError or TransportError.
   * @param how reads the answer's text, where that is not all of it or not all of it is to be held
   */
  call<Path extends string, Field extends string, Response extends z.ZodType>(
    endpoint: Endpoint<Path, Field, Response>,
    input: CallInput<PathParams<Path>, Field>,
    how?: ReadText,
  ): Promise<z.output<Response>>;
  /** Calls an endpoint that answers a file; `receive` tells the file from an error. Rejects likewise. */
  download<Path extends string, Field extends string>(
    endpoint: Endpoint<Path, Field>,
    input: CallInput<PathParams<Path>, Field>,
    receive: (response: TransportResponse) => Promise<ResponseContent>,
  ): Promise<{ file: Readable; response: TransportResponse }>;
  close(): Promise<void>;
}

/** How long an answer that is read as it comes may take from its first byte on (ms). */
const largeAnswerMs = 120_000;

export function createPipeline(options: PipelineOptions): Pipeline {
  const key = options.apiKey.trim();
  // A key that no header can carry is certainly not the right one.
  const keyIsSendable = /^[\x21-\x7e\x80-\xff]+$/u.test(key);
  const redact = (text: string) =>
    key === '' ? text : text.replaceAll(key, '[key]').replaceAll(encodeURIComponent(key), '[key]');

  const transport = createTransport(options.baseUrl, options.concurrency);
  const attemptCall = createAttempt({
    transport,
    rateLimiter: createRateLimiter(options),
    headers: { accept: '*/*', [options.keyHeader]: key },
    onRequest: options.onRequest,
  });
  const underWay: CallsUnderWay = new Set();
  let pending = 0;
  let onIdle = () => {};
  let closed: Promise<void> | undefined;

  async function run<T>(
    endpoint: Endpoint,
    input: Omit<CallInput<string, string>, 'fields'>,
    fields: readonly WireField[],
    how: Pick<Call<T>, 'receive' | 'asSent' | 'textOf' | 'parse' | 'openFile'>,
  ): Promise<T> {
    const context = {
      operation: endpoint.name,
      get ids() {
        return idsOf(input);
      },
      datetimes: options.datetimes,
      redact,
    };
    if (!keyIsSendable) throw authenticationError('API_KEY_WRONG', 'API KEY WRONG', context);
    if (closed) throw closedError(endpoint);

    const request = { idempotent: endpoint.idempotent, replayable: isReplayable(fields) };
    const ms = input.options?.deadlineMs ?? options.deadlineMs;
    const deadline = startDeadline(ms, input.options?.signal, underWay);
    const { receive } = how;
    const call: Call<T> = {
      endpoint,
      params: input.params,
      fields,
      context,
      deadline,
      receive:
        receive &&
        ((response) => {
          if (endpoint.answer === 'large') deadline.restart(Math.max(ms, largeAnswerMs));
          return receive(response);
        }),
      asSent: how.asSent,
      textOf: how.textOf,
      parse: how.parse,
      openFile(file, response) {
        // The caller's signal still applies to the file, the timeout does not.
        deadline.clearTimeout();
        file.once('close', () => deadline.dispose());
        begin();
        file.once('close', end);
        const arriving = failingWith(file, (cause) =>
          brokenFile(endpoint, deadline.endedBy() ?? cause ?? 'connection'),
        );
        deadline.onEnd(() => arriving.destroy(brokenFile(endpoint, 'aborted')));
        return how.openFile(arriving, response);
      },
    };
    for (let attempt = 1; ; attempt += 1) {
      let result: Awaited<ReturnType<typeof attemptCall<T>>>;
      try {
        result = await attemptCall(call, attempt);
      } catch (error) {
        deadline.dispose();
        throw error;
      }
      if ('value' in result) {
        if (!deadline.isTimeoutCleared()) deadline.dispose();
        return result.value;
      }
      const { error } = result;
      // After a 429 the rate limiter delays the next attempt by itself.
      const wait = error instanceof TransportError && error.kind === 'rate-limited' ? 0 : backoffMs(attempt);
      if (!shouldRetry(result, { ...request, attempt }) || performance.now() + wait >= deadline.at) {
        deadline.dispose();
        destroyStreams(fields);
        throw error;
      }
      await sleep(wait, undefined, { signal: deadline.signal }).catch(() => undefined);
    }
  }

  /** {@link Pipeline.close} waits for what has begun and not ended. */
  function begin(): void {
    pending += 1;
  }

  function end(): void {
    pending -= 1;
    if (pending === 0) onIdle();
  }

  async function track<T>(work: Promise<T>): Promise<T> {
    begin();
    try {
      return await work;
    } finally {
      end();
    }
  }

  async function shutDown(): Promise<void> {
    const timer = setTimeout(() => {
      for (const abort of underWay) abort();
    }, options.deadlineMs);
    if (pending > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    clearTimeout(timer);
    await transport.destroy();
  }

  return {
    call: (endpoint, input, read) =>
      track(
        run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), {
          receive: read && 'receive' in read ? read.receive : undefined,
          asSent: read && 'asSent' in read ? read.asSent : undefined,
          textOf: read && 'textOf' in read ? read.textOf : ({ bytes }) => bytes.toString('utf8'),
          parse(body) {
            const parsed = safeParse(endpoint.response, body);
            if (parsed.success) return parsed.data;
            const issues = describeIssues(parsed.error).join('; ');
            throw new UnexpectedResponse(`an answer of another shape: ${issues}`);
          },
          openFile: () => {
            throw new UnexpectedResponse('a file instead of an answer');
          },
        }),
      ),
    download: (endpoint, input, receive) =>
      track(
        run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), {
          receive,
          asSent: undefined,
          textOf: () => '',
          parse: () => {
            throw new UnexpectedResponse('an answer instead of a file');
          },
          openFile: (file, response) => ({ file, response }),
        }),
      ),
    close() {
      closed ??= shutDown();
      return closed;
    },
  };
}

function idsOf({ params, ids }: Pick<CallInput<string, string>, 'params' | 'ids'>): ErrorIds {
  const { campaign_id, task_id, message_id, index } = params;
  return {
    ...(campaign_id === undefined ? {} : { campaignId: campaign_id }),
    ...(task_id === undefined ? {} : { taskId: task_id }),
    ...(message_id === undefined ? {} : { messageId: message_id }),
    ...(index === undefined ? {} : { index }),
    ...ids,
  };
}

function closedError(endpoint: Endpoint): TransportError {
  const reason = 'the client is closed';
  return new TransportError({ operation: endpoint.name, kind: 'aborted', reason, mayHaveBeenApplied: false });
}

function brokenFile(endpoint: Endpoint, cause: TransportErrorKind | Error): TransportError {
  const kind =
    cause instanceof UnexpectedResponse ? 'unreadable' : cause instanceof Error ? 'connection' : cause;
  const reason =
    cause instanceof UnexpectedResponse
      ? cause.message
      : kind === 'aborted'
        ? 'aborted while the file arrived'
        : 'the file broke off';
  return new TransportError({ operation: endpoint.name, kind, reason, mayHaveBeenApplied: false });
}

/** Returns the same stream, which fails with an error of our own: undici's would not say what it was for. */
function failingWith(source: Readable, error: (cause?: Error) => TransportError): Readable {
  const stream = new PassThrough();
  source.on('error', (cause: Error) => stream.destroy(error(cause)));
  source.once('close', () => source.readableEnded || stream.destroy(error()));
  stream.once('close', () => source.destroy());
  return source.pipe(stream);
}

/** Closes the streams of an upload: they are ours to close, even when they were never sent. */
function destroyStreams(fields: readonly WireField[]): void {
  for (const [, value] of fields) {
    if (typeof value !== 'string' && typeof value.stream !== 'function') value.stream.destroy();
  }
}
