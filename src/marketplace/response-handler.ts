/** Receives an answer from undici: its head, then its body, as long as the call lasts. */
import { type Dispatcher, util } from 'undici';
import type { Deadline } from './deadline.ts';

export interface ResponseHead {
  readonly status: number;
  /** Returns a header by its lower-case name; several of one name joined. */
  readonly header: (name: string) => string | undefined;
}

/** There was no answer. `sent` is false only when no byte of the request can have left. */
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

/** Controls the connection of an answer. */
export interface Wire {
  abort(error: Error): void;
  /** Resumes after {@link BodyTaker.push} has returned false. */
  resume(): void;
}

/** Takes the body of an answer. */
export interface BodyTaker {
  /** Returns whether more may follow at once. */
  push(chunk: Buffer): boolean;
  end(): void;
  /** The answer broke off. */
  fail(error: Error): void;
}

/**
 * Returns the handler of an answer. Its methods have the names of undici's older interface, which undici 7 uses itself: it
 * wraps a handler with the newer ones, which costs as much as parsing the answer. undici 8 has the newer ones only.
 * @param takeBody creates the taker of the body, once the head has arrived
 * @param reject gets {@link NoResponse} when there is no head
 */
export function handleResponse(
  of: {
    readonly deadline: Pick<Deadline, 'onEnd'>;
    /** Called with the head of the answer as soon as it arrives. */
    readonly onHead: (head: ResponseHead) => void;
  },
  takeBody: (head: ResponseHead, wire: Wire) => BodyTaker,
  reject: (error: NoResponse) => void,
): Dispatcher.DispatchHandler {
  let body: BodyTaker | undefined;
  let abort: ((error: Error) => void) | undefined;
  let hasEnded = false;
  const stopListening = of.deadline.onEnd(() => {
    hasEnded = true;
    // While the request waits for a connection, undici has nothing to abort: onConnect aborts it then.
    if (abort === undefined) reject(new NoResponse('ended', false));
    else abort(new Error('ended'));
  });

  return {
    // Called when the request is passed to a connected socket: before that, none of it can have arrived.
    onConnect(abortRequest) {
      if (hasEnded) abortRequest(new Error('ended'));
      else abort = abortRequest;
    },
    onHeaders(status, rawHeaders, resume) {
      if (status < 200) return true;
      const head = { status, header: (name: string) => headerIn(rawHeaders, name) };
      of.onHead(head);
      body = takeBody(head, { abort: (error) => abort?.(error), resume });
      return true;
    },
    onData: (chunk) => body?.push(chunk) ?? true,
    onComplete() {
      stopListening();
      body?.end();
    },
    onError(error) {
      stopListening();
      if (body === undefined) reject(new NoResponse(reasonOf(error), abort !== undefined));
      else body.fail(error);
    },
  };
}

/** Returns undici's code for the failure, or the error's name. */
function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Returns the compression of a body, `identity` when there is none. */
export function encodingOf({ header }: Pick<ResponseHead, 'header'>): string {
  return header('content-encoding')?.trim().toLowerCase() ?? 'identity';
}

/** Looks up a header in its raw form: decoding all of them would cost more than the rest of handling an answer. */
function headerIn(raw: readonly Buffer[], name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const written = raw[index];
    if (written?.length !== name.length || util.headerNameToString(written) !== name) continue;
    const value = raw[index + 1]?.toString('latin1') ?? '';
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}
