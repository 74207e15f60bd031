import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { getGlobalDispatcher } from 'undici';
import { UserError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { clientOptions, slackLogger } from './client.ts';
import { connectionRefusal } from './connection-refusals.ts';
import { deliver, type SlackReceiver } from './receiver.ts';
import { SlackError } from './slack-error.ts';

/** The client's event for each payload. */
interface SlackEvent {
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
  readonly body: Record<string, unknown>;
  readonly retry_num?: number;
  readonly retry_reason?: string;
}

/** Creates the receiver over a socket. Its start resolves at the first connection, and throws UserError when Slack refuses it. */
export function createSocketReceiver(options: {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly hasProxy: boolean;
  readonly logger: Logger;
}): SlackReceiver {
  const { logger } = options;
  const clientLogger = slackLogger(logger);
  const client = new SocketModeClient({
    appToken: options.appToken,
    logger: clientLogger,
    autoReconnectEnabled: false,
    clientOptions: clientOptions(options.apiUrl, clientLogger),
    // By default it opens connections of its own.
    ...(options.hasProxy ? { dispatcher: getGlobalDispatcher() } : {}),
  });
  let app: App | undefined;
  let problem: string | undefined;
  client.on('slack_event', ({ ack, body, retry_num, retry_reason }: SlackEvent) => {
    // The socket knows no answer but an ack.
    const delivery = { body, retryNum: retry_num, retryReason: retry_reason, ack, fail: () => ack() };
    void deliver(app, delivery, logger);
  });
  return {
    init(bolt) {
      app = bolt;
    },
    ...keepConnected(client, logger, (now) => {
      problem = now;
    }),
    requests: () => undefined,
    problem: () => problem,
  };
}

/** A connection that ended sooner than this counts as a failed attempt: the next one is delayed (ms). */
const stableMs = 5_000;
const longestWaitMs = 30_000;

const connectionLost = 'The connection to Slack was lost; reconnecting.';

/**
 * Keeps a Socket Mode connection open until it is stopped. The client's own reconnecting must be off: it stops permanently
 * when Slack is unreachable, or refuses, while it requests a new address.
 * @param onProblem called with the reason why nothing can be received from now on, as a sentence; with undefined when it can
 */
export function keepConnected(
  client: SocketModeClient,
  logger: Pick<Logger, 'warn'>,
  onProblem: (problem: string | undefined) => void,
) {
  const stopping = new AbortController();
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
    onProblem(undefined);
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
        onProblem(connectionLost);
        failures = performance.now() - began < stableMs ? failures + 1 : 0;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        const problem = sentenceOf(error);
        onProblem(problem);
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
     * Connects, and reconnects whenever the connection ends. Resolves at the first connection, without a timeout while Slack
     * is unreachable. Throws UserError when Slack refuses to open it.
     */
    start: () => new Promise<void>((resolve, reject) => void run(resolve).then(resolve, reject)),

    async stop(): Promise<void> {
      stopping.abort();
      await client.disconnect();
    },
  };
}

function sentenceOf({ kind, code }: SlackError): string {
  return kind === 'refused'
    ? connectionRefusal('apps.connections.open', code)
    : `Slack cannot be reached (${code}); trying again.`;
}
