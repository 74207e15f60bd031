import { setTimeout as delay } from 'node:timers/promises';
import type { SocketModeClient } from '@slack/socket-mode';
import { UserError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { connectionRefusal } from './connection-refusals.ts';
import { SlackError } from './slack-error.ts';

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
