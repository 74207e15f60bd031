import type { RequestListener } from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import { App, type AuthorizeResult, HTTPModuleFunctions, HTTPReceiver, type Receiver } from '@slack/bolt';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { clientOptions } from './client-options.ts';
import { acceptSlackBodies } from './http-body.ts';
import { ackRepliesLate } from './late-acks.ts';
import { type ListenerParts, registerListeners } from './listeners.ts';
import type { Messenger } from './messenger.ts';
import { needsNoAnswer } from './needs-no-answer.ts';
import { NotStored } from './not-stored.ts';
import { slackLogger } from './slack-logger.ts';
import { createThreadIntake } from './socket-in-thread.ts';
import { createIntake } from './socket-intake.ts';
import { createSocketReceiver, type SocketReceiver } from './socket-receiver.ts';

/** The largest request that is read (bytes). */
const bodyLimit = 1_000_000;

export interface BoltOptions {
  readonly apiUrl: string | undefined;
  readonly transport:
    | { readonly mode: 'socket'; readonly appToken: string }
    | { readonly mode: 'http'; readonly signingSecret: string };
  /** With Socket Mode, what receives: see createSocket. */
  readonly socket: SocketReceiver | undefined;
  readonly botToken: string;
  readonly identity: Awaited<ReturnType<Messenger['identity']>>;
  readonly logger: Logger;
  readonly listenerParts: ListenerParts;
  readonly now: () => number;
}

/**
 * Creates what receives over a socket; undefined with HTTP. Its thread begins to load at once, beside all else that a start has to do.
 * @param inThread whether it receives and acks in a thread of its own
 */
export function createSocket({
  transport,
  apiUrl,
  inThread,
  logger: log,
}: Pick<BoltOptions, 'transport' | 'apiUrl' | 'logger'> & { readonly inThread: boolean }):
  | SocketReceiver
  | undefined {
  if (transport.mode !== 'socket') return undefined;
  const create = inThread ? createThreadIntake : createIntake;
  return createSocketReceiver(
    (listener) => create({ appToken: transport.appToken, apiUrl, log }, listener),
    log,
  );
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
  /** In HTTP mode, handles Slack's requests to /slack/events. */
  readonly requestListener?: RequestListener;
}

/**
 * Connects the features to Slack with Bolt. Bolt's own client never posts: see messenger.ts.
 */
export async function createConnection(options: BoltOptions): Promise<Connection> {
  const logger = slackLogger(options.logger);
  const { socket } = options;
  const { receiver, requestListener } = createReceiver(options, logger);
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
    ...(requestListener ? { requestListener } : {}),
    async start() {
      await socket?.start();
    },
    async stop() {
      await socket?.stop();
    },
    problem: () => socket?.problem(),
  };
}

/**
 * Acks what needs no answer before Bolt looks for its listener, and anything else once nobody can ack it any more: a payload that no
 * listener is for, and in Socket Mode, which knows no other answer, one that is so wrong that the listeners fail. Bolt would
 * leave Slack, and the person, waiting.
 */
function ackWithoutListener(
  app: App,
  { transport, logger, now }: Pick<BoltOptions, 'transport' | 'logger' | 'now'>,
): void {
  const processEvent = ackRepliesLate(app.processEvent.bind(app), { logger, now });
  app.processEvent = async (event) => {
    let isAcked = false;
    const ack: typeof event.ack = async (response) => {
      if (isAcked) return;
      isAcked = true;
      await event.ack(response);
    };
    try {
      if (needsNoAnswer(event.body)) {
        await ack();
        // What else has arrived is acked first.
        await nextRound();
      }
      await processEvent({ ...event, ack });
    } catch (error) {
      // In Socket Mode, no answer says that it is not stored.
      if (error instanceof NotStored && transport.mode === 'socket') return;
      // By HTTP, Bolt answers with the status 500.
      if (isAcked || transport.mode === 'http') throw error;
      logger.warn({ reason: messageOf(error) }, 'a payload of Slack could not be processed');
    }
    if (!isAcked) await event.ack();
  };
}

function createReceiver(
  { transport, socket, logger: ours }: BoltOptions,
  logger: ReturnType<typeof slackLogger>,
): { receiver: Receiver; requestListener?: RequestListener } {
  if (transport.mode === 'socket') {
    if (socket === undefined) throw new Error('Socket Mode without a socket');
    return { receiver: socket };
  }
  const receiver = new HTTPReceiver({
    signingSecret: transport.signingSecret,
    endpoints: '/slack/events',
    logger,
    bodyLimit,
    async processEventErrorHandler(args) {
      if (!(args.error instanceof NotStored) || args.response.headersSent)
        return HTTPModuleFunctions.defaultProcessEventErrorHandler(args);
      args.response.writeHead(503);
      args.response.end();
      return false;
    },
    unhandledRequestHandler(args) {
      if (!args.response.headersSent) HTTPModuleFunctions.defaultUnhandledRequestHandler(args);
    },
  });
  const requestListener = acceptSlackBodies(receiver.requestListener, { bodyLimit, logger: ours });
  return { receiver, requestListener };
}
