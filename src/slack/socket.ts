import { setTimeout as delay } from 'node:timers/promises';
import type { SocketModeReceiver } from '@slack/bolt';
import { UserError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { SlackError } from './slack-error.ts';

/** A connection that ended sooner than this counts as a failed attempt: the next one waits. */
const stableMs = 5_000;
const longestWaitMs = 30_000;

type Client = SocketModeReceiver['client'];

/** What comes over the socket: the first two are the connection's own, the others are acked. */
const envelopeTypes = ['hello', 'disconnect', 'events_api', 'slash_commands', 'interactive'];

/**
 * Has the client receive only messages that it can read. It would reject, where nobody can catch it, for an event without a
 * type, and take one that is called like an event of its own, such as `disconnected`, for that. Bolt tells events by their
 * body, so that the client need not know them.
 */
function guardMessages(client: Client, logger: Pick<Logger, 'warn'>): void {
  const receivers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    const envelope = isBinary ? undefined : readEnvelope(data);
    if (envelope === undefined) {
      logger.warn('a message on the socket could not be read');
      return;
    }
    const message = envelope.type === 'events_api' ? { ...envelope, type: 'event' } : envelope;
    for (const receive of receivers) receive(JSON.stringify(message), false);
  });
}

function readEnvelope(data: unknown): { readonly type: string } | undefined {
  try {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
    const { type } = value;
    return typeof type === 'string' && envelopeTypes.includes(type) ? { ...value, type } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a Socket Mode connection open until it is stopped. The client's own reconnecting must be off: it stops for good
 * when Slack cannot be reached, or refuses the token, while it requests a new address.
 */
export function keepConnected(client: Client, logger: Logger) {
  guardMessages(client, logger);
  const stopping = new AbortController();
  let problem: string | undefined;
  let ended: () => void = () => undefined;
  client.on('disconnected', () => ended());

  /** Runs one connection from its start to its end. Throws a SlackError when it cannot be opened. */
  async function connect(opened: () => void): Promise<void> {
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    try {
      await client.start();
    } catch (error) {
      throw new SlackError('apps.connections.open', error);
    }
    problem = undefined;
    opened();
    if (stopping.signal.aborted) await client.disconnect();
    await end;
  }

  async function run(opened: () => void): Promise<void> {
    let isFirst = true;
    for (let failures = 0; !stopping.signal.aborted; ) {
      const began = performance.now();
      try {
        await connect(() => {
          isFirst = false;
          opened();
        });
        problem = 'The connection to Slack was lost; reconnecting.';
        failures = performance.now() - began < stableMs ? failures + 1 : 0;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        problem = sentenceOf(error);
        if (isFirst && error.kind === 'refused') throw new UserError(problem);
        failures++;
        logger.warn({ code: error.code }, 'socket not connected');
      }
      const wait = failures === 0 ? 0 : Math.min(500 * 2 ** failures, longestWaitMs);
      await delay(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    /**
     * Connects, and reconnects whenever the connection ends. Resolves at the first connection, without a limit while
     * Slack cannot be reached. Throws UserError when Slack refuses the app-level token.
     */
    start: () => new Promise<void>((resolve, reject) => void run(resolve).then(resolve, reject)),

    async stop(): Promise<void> {
      stopping.abort();
      await client.disconnect();
    },

    /** Returns why nothing can be received right now, as a sentence; undefined when it can. */
    problem: () => problem,
  };
}

function sentenceOf({ kind, code }: SlackError): string {
  return kind === 'refused'
    ? `Slack does not accept SLACK_APP_TOKEN (${code}). Create an app-level token with the scope connections:write under “Basic Information” in the app’s settings.`
    : `Slack cannot be reached (${code}); trying again.`;
}
