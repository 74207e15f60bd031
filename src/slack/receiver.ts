import type { RequestListener } from 'node:http';
import { App, type AuthorizeResult, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Logger } from '../logger.ts';
import { clientOptions, slackLogger } from './client.ts';
import { type ListenerParts, registerListeners } from './listeners.ts';
import type { Messenger } from './messenger.ts';

/** Bolt's receiver of what Slack sends. */
export interface SlackReceiver extends Receiver {
  /** Returns the handler of Slack's requests; undefined over a socket, and until it is started. */
  requests(): RequestListener | undefined;
  /** Returns the reason why nothing can be received right now, as a sentence. */
  problem(): string | undefined;
}

/** A payload, and how it is answered. */
interface Delivery extends Pick<ReceiverEvent, 'body'> {
  readonly retryNum: number | undefined;
  readonly retryReason: string | undefined;
  readonly ack: (answer?: never) => Promise<void>;
  /** Says that it could not be processed, as far as the transport allows. */
  readonly fail: () => Promise<void> | void;
}

/** Types of payloads to which Slack shows no answer; commands have no type. */
const unanswered = ['block_actions', 'shortcut', 'message_action', 'view_closed'];

/**
 * Passes a payload to Bolt. What needs no answer is acked before, and what no listener has acked, afterwards: Bolt would leave
 * Slack, and the person, waiting. Never rejects.
 */
export async function deliver(
  app: Pick<App, 'processEvent'> | undefined,
  { body, retryNum, retryReason, ack, fail }: Delivery,
  logger: Pick<Logger, 'error'>,
): Promise<void> {
  let isAcked = false;
  const ackOnce = async (answer?: unknown) => {
    if (isAcked) return;
    isAcked = true;
    // Slack has stopped waiting, or the connection was lost.
    await ack(answer as never).catch(() => undefined);
  };
  if (typeof body?.command === 'string' || unanswered.includes(String(body?.type))) void ackOnce();
  try {
    await app?.processEvent({
      body,
      ack: ackOnce,
      ...(retryNum === undefined ? {} : { retryNum }),
      ...(retryReason === undefined ? {} : { retryReason }),
    });
    await ackOnce();
  } catch (error) {
    logger.error({ err: error }, 'what Slack sent could not be processed');
    if (!isAcked) await fail();
  }
}

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
