import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  App,
  type Authorize,
  type BufferedIncomingMessage,
  HTTPModuleFunctions,
  HTTPResponseAck,
  type Receiver,
  type ReceiverEvent,
} from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { getGlobalDispatcher } from 'undici';
import { messageOf, UserError } from '../errors.ts';
import { createThrottledWarning, inDelivery, type Logger } from '../logger.ts';
import { clientOptions, slackLogger } from './client.ts';
import { type ListenerParts, registerListeners } from './listeners.ts';
import { connectionRefusal, SlackError } from './slack-error.ts';

/** Bolt's receiver of what Slack sends. */
export interface SlackReceiver extends Receiver {
  init(app: Bolt): void;
  /** Returns the handler of Slack's requests; undefined over a socket, and until it is started. */
  requests(): RequestListener | undefined;
  /** Returns the reason why nothing can be received right now, as a sentence. */
  problem(): string | undefined;
}

type Bolt = Pick<App, 'processEvent'>;

/** A payload, and how it is answered. */
interface Delivery extends Pick<ReceiverEvent, 'body'> {
  readonly ack: (answer?: never) => Promise<void>;
  /** Says that it could not be processed, as far as the transport allows. */
  readonly fail: () => Promise<void> | void;
}

/** Types of payloads to which Slack shows no answer; commands have no type. */
const unanswered = ['block_actions', 'shortcut', 'message_action', 'view_closed'];

/**
 * Passes a payload to Bolt, under an id in the log that is short enough to be typed. What needs no answer is acked before, and
 * what no listener has acked, afterwards: Bolt would leave Slack, and the person, waiting. Never rejects.
 * @param onAck called with how long that took (ms)
 */
function deliver(
  app: Bolt | undefined,
  { body, ack, fail }: Delivery,
  logger: Logger,
  onAck?: (ms: number) => void,
): Promise<void> {
  const began = performance.now();
  let isAcked = false;
  const ackOnce = async (answer?: unknown) => {
    if (isAcked) return;
    isAcked = true;
    // Slack has stopped waiting, or the connection was lost.
    await ack(answer as never).catch(() => undefined);
    onAck?.(performance.now() - began);
  };
  return inDelivery(randomUUID().slice(0, 8), async () => {
    if (typeof body?.command === 'string' || unanswered.includes(String(body?.type))) void ackOnce();
    try {
      await app?.processEvent({ body, ack: ackOnce });
      await ackOnce();
    } catch (error) {
      logger.error({ err: error }, 'what Slack sent could not be processed');
      if (!isAcked) await fail();
    }
  });
}

/** Connects the features to Slack with Bolt. Bolt's own client never posts: see messenger.ts. */
export async function connectBolt(options: {
  readonly apiUrl: string | undefined;
  readonly receiver: SlackReceiver;
  /** Returns the bot of the workspace that a delivery is for. Rejects for one that does not have the app. */
  readonly authorize: Authorize<boolean>;
  readonly logger: Logger;
  readonly listenerParts: ListenerParts;
}): Promise<void> {
  const logger = slackLogger(options.logger);
  const { receiver, authorize, listenerParts } = options;
  const app = new App({
    receiver: {
      ...receiver,
      // From here on, and not only from its listener on: a stop ends nothing that was acked.
      init: (bolt) =>
        receiver.init({ processEvent: (event) => listenerParts.track(bolt.processEvent(event)) }),
    },
    authorize,
    clientOptions: clientOptions(options.apiUrl, logger),
    logger,
    deferInitialization: true,
    // Channel conversations are not stored.
    convoStore: false,
    // Every listener is ours and concerns only other people's actions.
    ignoreSelf: false,
  });
  await app.init();
  registerListeners(app, listenerParts);
}

interface SlackEvent {
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>;
  readonly body: Record<string, unknown>;
}

/** Creates the receiver over a socket. Its start resolves at the first connection, and throws UserError when Slack refuses it. */
export function createSocketReceiver(options: {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly hasProxy: boolean;
  readonly logger: Logger;
  readonly onAck?: ((ms: number) => void) | undefined;
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
  let app: Bolt | undefined;
  let problem: string | undefined;
  client.on('slack_event', ({ ack, body }: SlackEvent) => {
    // The socket knows no answer but an ack.
    void deliver(app, { body, ack, fail: () => ack() }, logger, options.onAck);
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

const bodyLimit = 1_000_000;
/** Maximum age of a request (s): the same as Bolt's. */
const longestAgeSeconds = 300;

/** A request that was not sent by Slack, with the status of the refusal. */
class RefusedRequest extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Creates the receiver over HTTP, for a server of ours. It has Bolt's functions for signatures and answers, and not its
 * HTTPReceiver: that leaves a body which is no object unanswered.
 */
export function createHttpReceiver(
  signingSecret: string,
  logger: Logger,
  onAck?: (ms: number) => void,
): SlackReceiver {
  const warn = createThrottledWarning(logger);
  const boltLogger = slackLogger(logger);
  let app: Bolt | undefined;
  let isStarted = false;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { verified, body } = await readSigned(request, signingSecret);
    if (body.ssl_check === '1') return HTTPModuleFunctions.buildSSLCheckResponse(response);
    if (body.type === 'url_verification')
      return HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    const answer = new HTTPResponseAck({
      logger: boltLogger,
      processBeforeResponse: false,
      httpRequest: verified,
      httpRequestBody: body,
      httpResponse: response,
    });
    const delivery = {
      body,
      ack: answer.bind(),
      fail() {
        answer.ack();
        if (!response.headersSent) HTTPModuleFunctions.buildNoBodyResponse(response, 500);
      },
    };
    await deliver(app, delivery, logger, onAck);
  }

  const requests = (request: IncomingMessage, response: ServerResponse) =>
    void receive(request, response).catch((error: unknown) => {
      warn({ reason: messageOf(error) }, 'a request to /slack/events was refused');
      if (response.headersSent) return response.destroy();
      // After an incompletely read body, the following bytes are not a request.
      response.writeHead(error instanceof RefusedRequest ? error.status : 400, { connection: 'close' }).end();
    });

  return {
    init(bolt) {
      app = bolt;
    },
    async start() {
      isStarted = true;
    },
    async stop() {
      isStarted = false;
    },
    requests: () => (isStarted ? requests : undefined),
    problem: () => undefined,
  };
}

/**
 * Reads the body of a request signed by Slack: an object that states its type. Throws RefusedRequest for any other. Slack's
 * certificate check is not signed: of its body, only the fact that it is one is kept.
 */
async function readSigned(
  request: IncomingMessage,
  signingSecret: string,
): Promise<{ verified: BufferedIncomingMessage; body: Record<string, unknown> }> {
  if (!mayBeSigned(request)) throw new RefusedRequest(401, 'no valid headers of a signature');
  const verified = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(
    { signingSecret, bodyLimit },
    request,
  ).catch((error: unknown) => {
    const isOfBody = HTTPModuleFunctions.isRawBodyError(error);
    const status = isOfBody ? (error.type === 'entity.too.large' ? 413 : 400) : 401;
    throw new RefusedRequest(status, messageOf(error));
  });
  const body: unknown = HTTPModuleFunctions.parseHTTPRequestBody(verified);
  if (!isOfSlack(body)) throw new RefusedRequest(400, 'a body that is not one of Slack’s');
  return { verified, body };
}

/**
 * Returns whether a request can have a valid signature, judging by its headers: otherwise its body is not even read.
 * Checking the signature itself needs the body.
 */
function mayBeSigned({ headers }: IncomingMessage): boolean {
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = headers;
  if (typeof signature !== 'string' || !/^v0=[0-9a-f]{64}$/i.test(signature)) return false;
  const at = Number(timestamp);
  return Number.isFinite(at) && at >= Math.floor(Date.now() / 1_000) - longestAgeSeconds;
}

function isOfSlack(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return ['type', 'command', 'ssl_check'].some((name) => Object.hasOwn(body, name));
}
