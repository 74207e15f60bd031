import { setImmediate as nextRound } from 'node:timers/promises';
import { App, type AuthorizeResult } from '@slack/bolt';
import type { HealthCheck } from '../http-server.ts';
import type { Logger } from '../logger.ts';
import { clientOptions } from './client-options.ts';
import { createHttpIntake } from './http-intake.ts';
import type { IntakeSettings } from './intake.ts';
import { createThreadIntake } from './intake-in-thread.ts';
import { ackRepliesLate } from './late-acks.ts';
import { type ListenerParts, registerListeners } from './listeners.ts';
import type { Messenger } from './messenger.ts';
import { needsNoAnswer } from './needs-no-answer.ts';
import { createSlackReceiver, type SlackReceiver } from './receiver.ts';
import { slackLogger } from './slack-logger.ts';
import { createSocketIntake } from './socket-intake.ts';

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
 * Creates what receives from Slack. Its thread begins to load at once, beside all else that a start has to do.
 * @param options.inThread whether it receives and acks in a thread of its own
 */
export function createReceiver(options: {
  readonly settings: IntakeSettings;
  readonly health: HealthCheck;
  readonly inThread: boolean;
  readonly logger: Logger;
}): SlackReceiver {
  const { settings, health, inThread, logger: log } = options;
  return createSlackReceiver((listener) => {
    if (inThread) return createThreadIntake({ ...settings, log }, { ...listener, health });
    return settings.mode === 'http'
      ? createHttpIntake({ ...settings, log }, { ...listener, health })
      : createSocketIntake({ ...settings, log }, listener);
  }, log);
}

export interface Connection {
  /**
   * Starts to receive: opens the socket; with HTTP, requests are accepted from now on. Throws UserError when Slack refuses
   * the app-level token.
   */
  start(): Promise<void>;
  /** Stops receiving, without waiting for what has been acked. */
  stop(): Promise<void>;
  /** Returns why nothing can be received right now, as a sentence; undefined when it can. */
  problem(): string | undefined;
}

/**
 * Connects the features to Slack with Bolt. Bolt's own client never posts: see messenger.ts.
 */
export async function createConnection(options: BoltOptions): Promise<Connection> {
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
    // What is said in a channel is not kept.
    convoStore: false,
    // Every listener is one of ours and speaks of other people's actions only.
    ignoreSelf: false,
  });
  await app.init();
  ackWithoutListener(app, options);
  registerListeners(app, options.listenerParts);
  return {
    async start() {
      await receiver.start();
    },
    async stop() {
      await receiver.stop();
    },
    problem: () => receiver.problem(),
  };
}

/**
 * Acks what needs no answer before Bolt looks for its listener, and anything else once nobody can ack it any more: a payload that no
 * listener is for. Bolt would leave Slack, and the person, waiting.
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
      // What else has arrived is acked first.
      await nextRound();
    }
    await processEvent({ ...event, ack });
    await ack();
  };
}
