/** The one way in which every endpoint is called: attempts, repetition, deadline, and the end of the client. */
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { aboutTheKey } from './answers.ts';
import { type Call, createAttempts, type Received, Unreadable } from './attempt.ts';
import { canBeSentAgain, type Part, partsOf } from './bodies.ts';
import type { Datetimes } from './datetimes.ts';
import { startDeadline } from './deadline.ts';
import type { Endpoint, FieldValues, PathParams } from './endpoint.ts';
import { type ErrorIds, TransportError, type TransportErrorKind } from './errors.ts';
import type { CallOptions, RequestInfo } from './interface.ts';
import { createPace } from './pace.ts';
import { backoffMs, mayRepeat } from './retries.ts';
import { createTransport, type TransportResponse } from './transport.ts';
import { issuesOf } from './wire.ts';

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

/** A request as its caller states it. */
export interface Asked<Param extends string, Field extends string> {
  readonly params: Readonly<Record<Param, string>>;
  readonly fields?: FieldValues<Field> | undefined;
  /** What a refusal is about beyond what the path names, where the service does not say. */
  readonly ids?: ErrorIds;
  readonly options: CallOptions | undefined;
}

export interface Pipeline {
  /** Calls an endpoint that answers JSON. Rejects with MarketplaceError or TransportError. */
  call<Path extends string, Field extends string, Response extends z.ZodType>(
    endpoint: Endpoint<Path, Field, Response>,
    asked: Asked<PathParams<Path>, Field>,
  ): Promise<z.output<Response>>;
  /** Calls an endpoint that answers a file; `look` tells the file from an error. Rejects likewise. */
  download<Path extends string, Field extends string>(
    endpoint: Endpoint<Path, Field>,
    asked: Asked<PathParams<Path>, Field>,
    look: (response: TransportResponse) => Promise<Received>,
  ): Promise<{ file: Readable; response: TransportResponse }>;
  close(): Promise<void>;
}

/** More than any answer should be: a results CSV of 100,000 tasks has a fraction of it. */
const longestBody = 256 * 1024 * 1024;

export function createPipeline(options: PipelineOptions): Pipeline {
  const key = options.apiKey.trim();
  // A key that no header can carry is certainly not the right one.
  const keyIsSendable = /^[\x21-\x7e\x80-\xff]+$/u.test(key);
  const redact = (text: string) =>
    key === '' ? text : text.replaceAll(key, '[key]').replaceAll(encodeURIComponent(key), '[key]');

  const transport = createTransport(options.baseUrl, options.concurrency);
  const attempts = createAttempts({
    transport,
    pace: createPace(options),
    headers: { accept: '*/*', 'accept-encoding': 'gzip, br', [options.keyHeader]: key },
    onRequest: options.onRequest,
  });
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  async function run<T>(
    endpoint: Endpoint,
    asked: Omit<Asked<string, string>, 'fields'>,
    parts: readonly Part[],
    how: Pick<Call<T>, 'receive' | 'read' | 'open'>,
  ): Promise<T> {
    const context = { operation: endpoint.name, ids: idsOf(asked), datetimes: options.datetimes, redact };
    if (!keyIsSendable) throw aboutTheKey('API_KEY_WRONG', 'API KEY WRONG', context);
    if (closed) throw closedError(endpoint);

    const request = { idempotent: endpoint.idempotent, repeatable: canBeSentAgain(parts) };
    const ms = asked.options?.deadlineMs ?? options.deadlineMs;
    const deadline = startDeadline(ms, [asked.options?.signal, closing.signal]);
    const call: Call<T> = {
      endpoint,
      params: asked.params,
      parts,
      context,
      deadline,
      receive: how.receive,
      read: how.read,
      open(file, response) {
        // The caller's signal goes on to hold for the file, the deadline does not.
        deadline.untime();
        file.once('close', () => deadline.stop());
        void track(new Promise<void>((resolve) => file.once('close', resolve)));
        const arriving = explained(file, () => brokenFile(endpoint, deadline.ended() ?? 'connection'));
        const giveUp = () => arriving.destroy(brokenFile(endpoint, 'aborted'));
        deadline.signal.addEventListener('abort', giveUp, { once: true });
        return how.open(arriving, response);
      },
    };
    for (let attempt = 1; ; attempt += 1) {
      const result = await attempts.once(call, attempt);
      if ('value' in result) {
        if (!deadline.untimed()) deadline.stop();
        return result.value;
      }
      const { error } = result;
      // After a 429 the pace holds the next attempt back by itself.
      const wait = error instanceof TransportError && error.kind === 'rate-limited' ? 0 : backoffMs(attempt);
      if (!mayRepeat(result, { ...request, attempt }) || performance.now() + wait >= deadline.at) {
        deadline.stop();
        dropStreams(parts);
        throw error;
      }
      await sleep(wait, undefined, { signal: deadline.signal }).catch(() => undefined);
    }
  }

  /** Makes {@link Pipeline.close} wait for it. */
  function track<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = work.catch(() => undefined).finally(() => underWay.delete(ended));
    underWay.add(ended);
    return work;
  }

  async function shutDown(): Promise<void> {
    const patience = setTimeout(() => closing.abort(), options.deadlineMs);
    await Promise.all(underWay);
    clearTimeout(patience);
    await transport.destroy();
  }

  return {
    call: (endpoint, asked) =>
      track(
        run(endpoint, asked, partsOf(endpoint, asked.fields ?? {}), {
          receive: async ({ stream }) => ({ text: await readText(stream) }),
          read(body) {
            const read = endpoint.response.safeParse(body);
            if (read.success) return read.data;
            throw new Unreadable(`an answer of another shape: ${issuesOf(read.error).join('; ')}`);
          },
          open: () => {
            throw new Unreadable('a file instead of an answer');
          },
        }),
      ),
    download: (endpoint, asked, look) =>
      track(
        run(endpoint, asked, partsOf(endpoint, asked.fields ?? {}), {
          receive: look,
          read: () => {
            throw new Unreadable('an answer instead of a file');
          },
          open: (file, response) => ({ file, response }),
        }),
      ),
    close() {
      closed ??= shutDown();
      return closed;
    },
  };
}

function idsOf({ params, ids }: Pick<Asked<string, string>, 'params' | 'ids'>): ErrorIds {
  const { campaign_id, task_id, message_id, index } = params;
  return {
    ...(campaign_id === undefined ? {} : { campaignId: campaign_id }),
    ...(task_id === undefined ? {} : { taskId: task_id }),
    ...(message_id === undefined ? {} : { messageId: message_id }),
    ...(index === undefined ? {} : { index }),
    ...ids,
  };
}

/** Reads an answer's text to its end. Throws {@link Unreadable} when it is longer than any answer should be. */
async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > longestBody) throw new Unreadable('an answer too long to be one');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function closedError(endpoint: Endpoint): TransportError {
  const reason = 'the client is closed';
  return new TransportError({ operation: endpoint.name, kind: 'aborted', reason, mayHaveBeenApplied: false });
}

function brokenFile(endpoint: Endpoint, kind: TransportErrorKind): TransportError {
  const reason = kind === 'aborted' ? 'given up while the file arrived' : 'the file broke off';
  return new TransportError({ operation: endpoint.name, kind, reason, mayHaveBeenApplied: false });
}

/** The same stream, failing with an error of ours: undici's own would say nothing of what it was for. */
function explained(source: Readable, why: () => TransportError): Readable {
  const stream = new PassThrough();
  source.on('error', () => stream.destroy(why()));
  source.once('close', () => source.readableEnded || stream.destroy(why()));
  stream.once('close', () => source.destroy());
  return source.pipe(stream);
}

/** A stream that was handed over to be sent is ours to close, also when it never was sent. */
function dropStreams(parts: readonly Part[]): void {
  for (const [, value] of parts) {
    if (typeof value !== 'string' && typeof value.stream !== 'function') value.stream.destroy();
  }
}
