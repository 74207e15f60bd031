import type { IncomingMessage, ServerResponse } from 'node:http';
import { type App, type BufferedIncomingMessage, HTTPModuleFunctions, HTTPResponseAck } from '@slack/bolt';
import { messageOf } from '../errors.ts';
import { createThrottledWarning, type Logger } from '../logger.ts';
import { slackLogger } from './client.ts';
import { deliver, type SlackReceiver } from './receiver.ts';

/** The largest body that is read (bytes). */
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
export function createHttpReceiver(signingSecret: string, logger: Logger): SlackReceiver {
  const warn = createThrottledWarning(logger);
  const boltLogger = slackLogger(logger);
  let app: App | undefined;
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
      retryNum: HTTPModuleFunctions.extractRetryNumFromHTTPRequest(request),
      retryReason: HTTPModuleFunctions.extractRetryReasonFromHTTPRequest(request),
      ack: answer.bind(),
      fail() {
        answer.ack();
        if (!response.headersSent) HTTPModuleFunctions.buildNoBodyResponse(response, 500);
      },
    };
    await deliver(app, delivery, logger);
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
