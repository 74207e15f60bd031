/** Takes an answer from undici: its head, then what it holds, as long as the call lasts. */
import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** Nothing came back. `sent` is false only when no byte of the request can have left. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
  readonly sent: boolean;

  constructor(reason: string, sent: boolean) {
    super(reason);
    this.sent = sent;
  }
}

/** An answer broke off after its head, or cannot be decompressed. */
export class BrokenResponse extends Error {
  override readonly name = 'BrokenResponse';

  constructor(cause: unknown) {
    super('the answer broke off', { cause });
  }
}

/** Takes the body of an answer. */
export interface BodyTaker {
  push(chunk: Buffer): void;
  end(): void;
  /** The answer broke off. */
  fail(error: Error): void;
}

/**
 * Returns what takes an answer.
 * @param takeBody creates what takes the body, once the head is there
 * @param reject gets {@link NoResponse} when there is no head
 */
export function handleResponse(
  of: {
    readonly deadline: Pick<Deadline, 'onEnd'>;
    /** Learns the head of the answer as soon as it is there. */
    readonly onHead: (head: ResponseHead) => void;
  },
  takeBody: (head: ResponseHead, controller: Dispatcher.DispatchController) => BodyTaker,
  reject: (error: NoResponse) => void,
): Dispatcher.DispatchHandler {
  let body: BodyTaker | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let hasEnded = false;
  const stopListening = of.deadline.onEnd(() => {
    hasEnded = true;
    // While the request waits for a connection, undici has nothing to abort: onRequestStart does it then.
    if (controller === undefined) reject(new NoResponse('ended', false));
    else controller.abort(new Error('ended'));
  });

  return {
    // Called when the request is passed to a connected socket: before that, nothing of it can have arrived.
    onRequestStart(started) {
      if (hasEnded) started.abort(new Error('ended'));
      else controller = started;
    },
    onResponseStart(started, status, headers) {
      if (status < 200) return;
      const head = { status, headers: joinHeaders(headers) };
      of.onHead(head);
      body = takeBody(head, started);
    },
    onResponseData(_, chunk) {
      body?.push(chunk);
    },
    onResponseEnd() {
      stopListening();
      body?.end();
    },
    onResponseError(_, error) {
      stopListening();
      if (body === undefined) reject(new NoResponse(reasonOf(error), controller !== undefined));
      else body.fail(error);
    },
  };
}

/** Returns undici's code for what went wrong, or the error's name. */
function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Returns in what a body is compressed, `identity` when in nothing. */
export function encodingOf({ headers }: Pick<ResponseHead, 'headers'>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
}

/** Returns headers with one text each; the same object, where that is so already. */
function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  if (haveOneTextEach(headers)) return headers;
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]);
  return Object.fromEntries(entries);
}

function haveOneTextEach(
  headers: Record<string, string | string[] | undefined>,
): headers is Record<string, string> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return true;
}
