import { SocketModeClient } from '@slack/socket-mode';
import { getGlobalDispatcher } from 'undici';
import { clientOptions } from './client-options.ts';
import type { Arrival, Intake, IntakeListener, IntakeParts, SocketSettings } from './intake.ts';
import { needsNoAnswer } from './needs-no-answer.ts';
import { type Log, slackLogger } from './slack-logger.ts';
import { keepConnected } from './socket.ts';

/** After this, Slack surely no longer waits for an ack (ms): it waits for 3 seconds. */
const awaitedMs = 10_000;

/** Creates an intake that receives over a socket, in this thread. */
export function createSocketIntake(
  { appToken, apiUrl, proxy, log, isAtWork = () => true }: Omit<SocketSettings, 'mode'> & IntakeParts,
  listener: Omit<IntakeListener, 'health'>,
): Intake {
  const logger = slackLogger(log);
  const client = new SocketModeClient({
    appToken,
    logger,
    autoReconnectEnabled: false,
    clientOptions: clientOptions(apiUrl, logger),
    // By default it opens connections of its own.
    ...(proxy ? { dispatcher: getGlobalDispatcher() } : {}),
  });
  guardMessages(client, log);
  const unacked = new Map<string, Envelope['ack']>();
  const send = (ack: Envelope['ack'], answer?: unknown) =>
    // The connection was lost meanwhile, which the client logs.
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
  const take = (id: string) => {
    const ack = unacked.get(id);
    unacked.delete(id);
    return ack;
  };
  const connection = keepConnected(client, log, listener.problem);
  const ack: Intake['ack'] = (id, answer) => {
    const sendTo = take(id);
    if (sendTo) send(sendTo, answer);
  };
  return {
    ...connection,
    ack,
    // The socket has no answer but an ack, and none that requests redelivery.
    fail: (id, why) => void (why === 'not stored' ? take(id) : ack(id)),
  };
}

/** The client's event for each message. */
interface Envelope extends Pick<Arrival, 'body'> {
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
  readonly envelope_id: string;
  readonly retry_num?: number;
  readonly retry_reason?: string;
}

/** Types of socket messages: the first two are the connection's own, the others are acked. */
const envelopeTypes = ['hello', 'disconnect', 'events_api', 'slash_commands', 'interactive'];

/**
 * Passes only readable messages to the client. An event without a type would make it reject where nobody can catch it, and
 * an event named like one of its own, such as `disconnected`, would be mistaken for that. Bolt identifies events by their
 * body, so the client need not know them.
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
