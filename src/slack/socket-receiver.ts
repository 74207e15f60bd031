import type { App } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { getGlobalDispatcher } from 'undici';
import type { Logger } from '../logger.ts';
import { clientOptions } from './client-options.ts';
import { deliver, type SlackReceiver } from './receiver.ts';
import { slackLogger } from './slack-logger.ts';
import { keepConnected } from './socket.ts';

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
