import { setImmediate as nextRound } from 'node:timers/promises';
import { App, type AuthorizeResult } from '@slack/bolt';
import type { Logger } from '../logger.ts';
import { clientOptions } from './client-options.ts';
import { ackRepliesLate } from './late-acks.ts';
import { type ListenerParts, registerListeners } from './listeners.ts';
import type { Messenger } from './messenger.ts';
import { needsNoAnswer } from './needs-no-answer.ts';
import type { SlackReceiver } from './receiver.ts';
import { slackLogger } from './slack-logger.ts';

export interface BoltOptions {
  readonly apiUrl: string | undefined;
  readonly receiver: SlackReceiver;
  readonly botToken: string;
  readonly identity: Awaited<ReturnType<Messenger['identity']>>;
  readonly logger: Logger;
  readonly listenerParts: ListenerParts;
  readonly now: () => number;
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
  ackWithoutListener(app, options);
  registerListeners(app, options.listenerParts);
}

/**
 * Acks payloads that need no answer before Bolt looks for their listener, and any others once no listener can ack them any
 * more: payloads that no listener handles. Bolt would leave Slack, and the person, waiting.
 */
function ackWithoutListener(app: App, { logger, now }: Pick<BoltOptions, 'logger' | 'now'>): void {
  const processEvent = ackRepliesLate(app.processEvent.bind(app), { logger, now });
  app.processEvent = async (event) => {
    let isAcked = false;
    const ack: typeof event.ack = async (response) => {
      if (isAcked) return;
      isAcked = true;
      await event.ack(response);
    };
    if (needsNoAnswer(event.body)) {
      await ack();
      // Other arrivals are acked first.
      await nextRound();
    }
    await processEvent({ ...event, ack });
    await ack();
  };
}
