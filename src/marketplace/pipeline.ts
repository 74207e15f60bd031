/** The one pipeline for every endpoint: attempts, retries, deadline, and the closing of the client. */
import { createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import type { Datetimes } from './datetimes.ts';
import { startDeadline } from './deadline.ts';
import type { Endpoint, FieldValues, PathParams } from './endpoint.ts';
import { type ErrorIds, TransportError, type TransportErrorKind } from './errors.ts';
import { describeIssues } from './field-schemas.ts';
import type { CallOptions, RequestInfo } from './interface.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { type Call, createAttempt, type ResponseContent } from './request-attempt.ts';
import { isReplayable, toWireFields, type WireField } from './request-body.ts';
import { authenticationError } from './response-parser.ts';
import { backoffMs, shouldRetry } from './retry-policy.ts';
import { createTransport, type TransportResponse } from './transport.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

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

export interface Pipeline {
  /**
   * Calls an endpoint that answers JSON. Rejects with MarketplaceError or TransportError.
   * @param receive reads the answer's text, where not all of it is to be held
   */
  call<Path extends string, Field extends string, Response extends z.ZodType>(
    endpoint: Endpoint<Path, Field, Response>,
    input: CallInput<PathParams<Path>, Field>,
    receive?: (response: TransportResponse) => Promise<{ readonly text: string }>,
  ): Promise<z.output<Response>>;
  /** Calls an endpoint that answers a file; `receive` tells the file from an error. Rejects likewise. */
  download<Path extends string, Field extends string>(
    endpoint: Endpoint<Path, Field>,
    input: CallInput<PathParams<Path>, Field>,
    receive: (response: TransportResponse) => Promise<ResponseContent>,
  ): Promise<{ file: Readable; response: TransportResponse }>;
  close(): Promise<void>;
}

/** More than any answer should have: a list of 10,000 campaigns is a fraction of it. */
const maxBodyBytes = 32 * 1024 * 1024;
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
  const closing = new AbortController();
  const pending = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  async function run<T>(
    endpoint: Endpoint,
    input: Omit<CallInput<string, string>, 'fields'>,
    fields: readonly WireField[],
    how: Pick<Call<T>, 'receive' | 'parse' | 'openFile'>,
  ): Promise<T> {
    const context = { operation: endpoint.name, ids: idsOf(input), datetimes: options.datetimes, redact };
    if (!keyIsSendable) throw authenticationError('API_KEY_WRONG', 'API KEY WRONG', context);
    if (closed) throw closedError(endpoint);

    const request = { idempotent: endpoint.idempotent, replayable: isReplayable(fields) };
    const ms = input.options?.deadlineMs ?? options.deadlineMs;
    const deadline = startDeadline(ms, [input.options?.signal, closing.signal]);
    const call: Call<T> = {
      endpoint,
      params: input.params,
      fields,
      context,
      deadline,
      receive(response) {
        if (endpoint.answer === 'large') deadline.restart(Math.max(ms, largeAnswerMs));
        return how.receive(response);
      },
      parse: how.parse,
      openFile(file, response) {
        // The caller's signal still applies to the file, the timeout does not.
        deadline.clearTimeout();
        file.once('close', () => deadline.dispose());
        void track(new Promise<void>((resolve) => file.once('close', resolve)));
        const arriving = failingWith(file, (cause) =>
          brokenFile(endpoint, deadline.endedBy() ?? cause ?? 'connection'),
        );
        const onAbort = () => arriving.destroy(brokenFile(endpoint, 'aborted'));
        deadline.signal.addEventListener('abort', onAbort, { once: true });
        return how.openFile(arriving, response);
      },
    };
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptCall(call, attempt).catch((error: unknown) => {
        deadline.dispose();
        throw error;
      });
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

  /** Makes {@link Pipeline.close} wait for some work. */
  function track<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = work.catch(() => undefined).finally(() => pending.delete(ended));
    pending.add(ended);
    return work;
  }

  async function shutDown(): Promise<void> {
    const timer = setTimeout(() => closing.abort(), options.deadlineMs);
    await Promise.all(pending);
    clearTimeout(timer);
    await transport.destroy();
  }

  return {
    call: (endpoint, input, receive) =>
      track(
        run(endpoint, input, toWireFields(endpoint, input.fields ?? {}), {
          receive:
            receive ??
            (async ({ stream }) => ({ text: (await readBytes(stream, maxBodyBytes)).toString('utf8') })),
          parse(body) {
            const parsed = endpoint.response.safeParse(body);
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

/**
 * Returns what receives an answer's text. A success whose digest is known is not decoded: the result is another text.
 * @param inPlace the text in place of one that is known
 */
export function textUnlessKnown(isKnown: (digest: string) => boolean, inPlace: string) {
  return async ({ status, stream }: TransportResponse): Promise<{ readonly text: string }> => {
    const bytes = await readBytes(stream, maxBodyBytes);
    const digest = createHash('sha1').update(bytes).digest('base64url');
    return { text: status === 200 && isKnown(digest) ? inPlace : bytes.toString('utf8') };
  };
}

/**
 * Reads an answer to its end. Rejects with {@link UnexpectedResponse} when it is longer than any should be. Listens to the
 * stream itself: an iterator would cost a short answer as much as its request.
 */
function readBytes(stream: Readable, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) stream.destroy(new UnexpectedResponse('an answer too long to be one'));
    });
    stream.once('end', () => resolve(Buffer.concat(chunks, length)));
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('the answer broke off')));
  });
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
