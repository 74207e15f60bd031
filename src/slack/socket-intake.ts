import { SocketModeClient } from '@slack/socket-mode';
import { clientOptions } from './client-options.ts';
import { needsNoAnswer } from './needs-no-answer.ts';
import { type Log, slackLogger } from './slack-logger.ts';
import { keepConnected } from './socket.ts';

/** What Slack has sent over the socket. */
export interface Arrival {
  /** By which it is acked. */
  readonly id: string;
  readonly body: Record<string, unknown>;
  readonly retryNum: number | undefined;
  readonly retryReason: string | undefined;
  /** Whether it was acked as it came: nobody waits for an answer to it. */
  readonly isAcked: boolean;
}

export interface IntakeOptions {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly log: Log;
  /** Whether the bot takes up what is handed to it: while it does not, nothing is acked before it has. By default it does. */
  readonly isAtWork?: () => boolean;
}

/** Who hears of what happens on the socket. */
export interface IntakeListener {
  readonly arrived: (arrival: Arrival) => void;
  /** Why nothing can be received from now on, as a sentence; undefined when it can. */
  readonly problem: (problem: string | undefined) => void;
}

/** Receives what Slack sends over a socket, and acks it. */
export interface Intake {
  /** Connects. Resolves at the first connection. Throws UserError when Slack refuses the app-level token. */
  start(): Promise<void>;
  /** Acks an arrival that was not acked as it came, with the answer that Slack shows, if any. */
  ack(id: string, answer?: unknown): void;
  stop(): Promise<void>;
}

/** After this, Slack does not wait for an ack any more (ms): it does for 3 seconds. */
const awaitedMs = 10_000;

/** Creates an intake in this thread. */
export function createIntake(
  { appToken, apiUrl, log, isAtWork = () => true }: IntakeOptions,
  listener: IntakeListener,
): Intake {
  const logger = slackLogger(log);
  const client = new SocketModeClient({
    appToken,
    logger,
    autoReconnectEnabled: false,
    clientOptions: clientOptions(apiUrl, logger),
  });
  guardMessages(client, log);
  const unacked = new Map<string, Envelope['ack']>();
  const send = (ack: Envelope['ack'], answer?: unknown) =>
    // The connection was lost meanwhile: the client logs it.
    void ack(answer as Record<string, unknown>).catch(() => undefined);
  client.on('slack_event', ({ ack, envelope_id: id, body, retry_num, retry_reason }: Envelope) => {
    const isAcked = needsNoAnswer(body) && isAtWork();
    if (isAcked) send(ack);
    else {
      unacked.set(id, ack);
      setTimeout(() => unacked.delete(id), awaitedMs).unref();
    }
    listener.arrived({ id, body, retryNum: retry_num, retryReason: retry_reason, isAcked });
  });
  const connection = keepConnected(client, log, listener.problem);
  return {
    ...connection,
    ack(id, answer) {
      const ack = unacked.get(id);
      unacked.delete(id);
      if (ack) send(ack, answer);
    },
  };
}

/** What the client says of each message. */
interface Envelope extends Pick<Arrival, 'body'> {
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
  readonly envelope_id: string;
  readonly retry_num?: number;
  readonly retry_reason?: string;
}

/** What comes over the socket: the first two are the connection's own, the others are acked. */
const envelopeTypes = ['hello', 'disconnect', 'events_api', 'slash_commands', 'interactive'];

/**
 * Has the client receive only messages that it can read. It would reject, where nobody can catch it, for an event without a
 * type, and take one that is called like an event of its own, such as `disconnected`, for that. Bolt tells events by their
 * body, so that the client need not know them.
 */
function guardMessages(client: SocketModeClient, log: Pick<Log, 'warn'>): void {
  const receivers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    const text = isBinary ? undefined : textOf(data);
    const envelope = text === undefined ? undefined : readEnvelope(text);
    if (envelope === undefined) {
      log.warn({}, 'a message on the socket could not be read');
      return;
    }
    const message = envelope.type === 'events_api' ? JSON.stringify({ ...envelope, type: 'event' }) : text;
    for (const receive of receivers) receive(message, false);
  });
}

function textOf(data: unknown): string | undefined {
  try {
    return typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer);
  } catch {
    return undefined;
  }
}

function readEnvelope(text: string): { readonly type: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
    const { type } = value;
    return typeof type === 'string' && envelopeTypes.includes(type) ? { ...value, type } : undefined;
  } catch {
    return undefined;
  }
}
