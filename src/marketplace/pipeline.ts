/** The one pipeline for every endpoint: attempts, retries, deadline, and the closing of the client. */
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type * as z from 'zod';
import { decodeText } from './charset.ts';
import type { Datetimes } from './datetimes.ts';
import { createDeadlines, sleepUntilEnd } from './deadline.ts';
import type { Endpoint, FieldValues, PathParams } from './endpoint.ts';
import { type ErrorIds, TransportError, type TransportErrorKind } from './errors.ts';
import { describeIssues } from './field-schemas.ts';
import type { CallOptions, RequestInfo } from './interface.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { type Call, createAttempt, type ResponseContent } from './request-attempt.ts';
import { isReplayable, toWireFields, type WireField } from './request-body.ts';
import { BrokenResponse } from './response-handler.ts';
import { authenticationError } from './response-parser.ts';
import { backoffMs, shouldRetry } from './retry-policy.ts';
import { safeParse } from './schema-parser.ts';
import { createTransport, type TransportResponse } from './transport.ts';
import { UnexpectedResponse } from './unexpected-response.ts';
import type { WholeResponse } from './whole-response.ts';

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
export interface CallInput<Param extends string, Field extends string> {
  readonly params: Readonly<Record<Param, string>>;
  readonly fields?: FieldValues<Field> | undefined;
  /** Ids that a refusal concerns besides those in the path, for when the service does not name them. */
  readonly ids?: ErrorIds;
  /** Called when some of the answer's bytes stand for no character; they have become U+FFFD. */
  readonly onUndecodable?: () => void;
  readonly options: CallOptions | undefined;
}

/** How the text of an answer is read when only a part of it is needed. */
export type ReadText =
  | {
      /** `textOf` receives the answer as it was sent, compressed or not. */
      readonly asSent: true;
      readonly textOf: (response: WholeResponse) => Promise<string>;
    }
  | { readonly receive: (response: TransportResponse) => Promise<{ readonly text: string }> };

export interface Pipeline {
  /**
   * Calls an endpoint that answers JSON. Rejects with MarketplaceError or TransportError.
   * @param how reads the answer's text, when only a part is needed or it must not be held as a whole
   */
  call<Path extends string, Field extends string, Response extends z.ZodType>(
    endpoint: Endpoint<Path, Field, Response>,
    input: CallInput<PathParams<Path>, Field>,
    how?: ReadText,
  ): Promise<z.output<Response>>;
  /** Calls an endpoint that answers a file; `receive` distinguishes the file from an error. Rejects likewise. */
  download<Path extends string, Field extends string>(
    endpoint: Endpoint<Path, Field>,
    input: CallInput<PathParams<Path>, Field>,
    receive: (response: TransportResponse) => Promise<ResponseContent>,
  ): Promise<{ file: Readable; response: TransportResponse }>;
  close(): Promise<void>;
}

/** Timeout of a streamed answer from its first byte on (ms). */
const largeAnswerMs = 120_000;

export function createPipeline(options: PipelineOptions): Pipeline {
  const key = options.apiKey.trim();
  // A key that no header can carry is certainly wrong.
  const keyIsSendable = /^[\x21-\x7e\x80-\xff]+$/u.test(key);
  const redact = (text: string) =>
    key === '' ? text : text.replaceAll(key, '[key]').replaceAll(encodeURIComponent(key), '[key]');

  const transport = createTransport(options);
  const attemptCall = createAttempt({
    transport,
    rateLimiter: createRateLimiter(options),
    headers: ['accept', '*/*', options.keyHeader, key],
    onRequest: options.onRequest,
  });
  const deadlines = createDeadlines();
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
      ids: () => idsOf(input),
      datetimes: options.datetimes,
      redact,
    };
    if (!keyIsSendable) throw authenticationError('API_KEY_WRONG', 'API KEY WRONG', context);
    if (closed) throw closedError(endpoint);

    const ms = input.options?.deadlineMs ?? options.deadlineMs;
    const deadline = deadlines.start(ms, input.options?.signal);
    const { receive } = how;
    let file: Readable | undefined;
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
      openFile(opened, response) {
        file = opened;
        // The caller's signal still applies to the file, the timeout does not.
        deadline.clearTimeout();
        translateErrors(file, (error) => fileError(endpoint, error, deadline.endedBy()));
        deadline.onEnd(() => opened.destroy(new BrokenResponse('aborted')));
        return how.openFile(file, response);
      },
    };
    const end = () => {
      deadline.dispose();
      pending -= 1;
      if (pending === 0) onIdle();
    };
    // Calls in progress: close() waits for them.
    pending += 1;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const result = await attemptCall(call, attempt);
        if ('value' in result) return result.value;
        const { error } = result;
        // After a 429 the rate limiter delays the next attempt anyway.
        const wait =
          error instanceof TransportError && error.kind === 'rate-limited' ? 0 : backoffMs(attempt);
        const request = { idempotent: endpoint.idempotent, replayable: isReplayable(fields), attempt };
        if (!shouldRetry(result, request) || performance.now() + wait >= deadline.at) {
          destroyStreams(fields);
          throw error;
        }
        await sleepUntilEnd(wait, deadline);
      }
    } finally {
      if (file === undefined || file.closed) end();
      else file.once('close', end);
    }
  }

  async function shutDown(): Promise<void> {
    const timer = setTimeout(deadlines.abortAll, options.deadlineMs);
    if (pending > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    clearTimeout(timer);
    await transport.destroy();
  }

  return {
    call: (endpoint, input, read) =>
      run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), {
        receive: read && 'receive' in read ? read.receive : undefined,
        asSent: read && 'asSent' in read ? read.asSent : undefined,
        textOf:
          read && 'textOf' in read
            ? read.textOf
            : (response) => decodeText(response.bytes, response, input.onUndecodable),
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
    download: (endpoint, input, receive) =>
      run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), {
        receive,
        asSent: undefined,
        textOf: (response) => decodeText(response.bytes, response),
        parse: () => {
          throw new UnexpectedResponse('an answer instead of a file');
        },
        openFile: (file, response) => ({ file, response }),
      }),
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

/**
 * Returns the failure of a file in our own words: undici's would not name its purpose. A reader's own error stays unchanged.
 */
function fileError(endpoint: Endpoint, error: Error, endedBy: TransportErrorKind | undefined): Error {
  const broken = (kind: TransportErrorKind, reason: string) =>
    new TransportError({ operation: endpoint.name, kind, reason, mayHaveBeenApplied: false });
  if (endedBy !== undefined) return broken(endedBy, 'aborted while the file arrived');
  if (error instanceof UnexpectedResponse) return broken('unreadable', error.message);
  return error instanceof BrokenResponse ? broken('connection', 'the file broke off') : error;
}

/** Converts a stream's errors by `toError`. Piping it into a second stream would cost more. */
function translateErrors(stream: Readable, toError: (cause: Error) => Error): void {
  const destroy = stream._destroy.bind(stream);
  stream._destroy = (cause, done) => destroy(cause, (error) => done(error ? toError(error) : null));
  // It may break off before anybody reads it: a later reader then receives the error.
  stream.on('error', () => undefined);
}

/** Closes the streams of an upload: they are ours to close, even when they were never sent. */
function destroyStreams(fields: readonly WireField[]): void {
  for (const [, value] of fields) {
    if (typeof value !== 'string' && typeof value.stream !== 'function') value.stream.destroy();
  }
}
