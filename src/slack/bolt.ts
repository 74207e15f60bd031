import { App, type AuthorizeResult } from '@slack/bolt';
import type { Logger } from '../logger.ts';
import { clientOptions } from './client-options.ts';
import { type ListenerParts, registerListeners } from './listeners.ts';
import type { Messenger } from './messenger.ts';
import type { SlackReceiver } from './receiver.ts';
import { slackLogger } from './slack-logger.ts';

export interface BoltOptions {
  readonly apiUrl: string | undefined;
  readonly receiver: SlackReceiver;
  readonly botToken: string;
  readonly identity: Awaited<ReturnType<Messenger['identity']>>;
  readonly logger: Logger;
  readonly listenerParts: ListenerParts;
}

/**
 * Connects the features to Slack with Bolt. Bolt's own client never posts: see messenger.ts.
 */
export async function connectBolt(options: BoltOptions): Promise<void> {
  const logger = slackLogger(options.logger);
  const { receiver } = options;
  const authorized: AuthorizeResult = {
    botToken: options.botToken,
    botUserId: options.identity.botUserId,
    botId: options.identity.botId,
    teamId: options.identity.workspace,
  };
  const app = new App({
    receiver,
    authorize: async () => authorized,
    clientOptions: clientOptions(options.apiUrl, logger),
    logger,
    deferInitialization: true,
    // Channel conversations are not stored.
    convoStore: false,
    // Every listener is ours and concerns only other people's actions.
    ignoreSelf: false,
  });
  await app.init();
  registerListeners(app, options.listenerParts);
}
