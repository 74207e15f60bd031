import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  buildContentResponse,
  buildNoBodyResponse,
  buildUrlVerificationResponse,
  extractRetryNumFromHTTPRequest,
  extractRetryReasonFromHTTPRequest,
} from '@slack/bolt/dist/receivers/HTTPModuleFunctions.js';
import { messageOf } from '../errors.ts';
import { createRequestListener, defaultHttpLimits, type HttpLimits, listen } from '../http-server.ts';
import type { Failure, HttpSettings, Intake, IntakeListener, IntakeParts } from './intake.ts';
import { needsNoAnswer } from './needs-no-answer.ts';
import { RefusedRequest, readSignedRequest } from './signed-request.ts';
import type { Log } from './slack-logger.ts';

/** After this, Slack no longer waits for an answer (ms). */
const awaitedMs = 3_001;

/** The HTTP status for each failure: Bolt's statuses, and 503 for an event that Slack must redeliver. */
const statuses: Record<Failure | 'too late', number> = {
  'not stored': 503,
  'not processed': 500,
  'too late': 404,
};

/** Creates an intake that receives by HTTP, in this thread. */
export function createHttpIntake(
  { signingSecret, port, host, log, isAtWork = () => true }: Omit<HttpSettings, 'mode'> & IntakeParts,
  listener: IntakeListener,
  limits: HttpLimits = defaultHttpLimits,
): Intake {
  const unanswered = new Map<string, ServerResponse>();
  const logRefusal = refusalLog(log);
  let isStarted = false;
  let server: Awaited<ReturnType<typeof listen>> | undefined;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readSignedRequest(request, signingSecret);
    if (body.ssl_check === '1') return buildNoBodyResponse(response, 200);
    if (body.type === 'url_verification') return buildUrlVerificationResponse(response, body);
    const id = randomUUID();
    const isAcked = needsNoAnswer(body) && isAtWork();
    if (isAcked) buildNoBodyResponse(response, 200);
    else awaitAnswer(id, response);
    listener.arrived({
      id,
      body,
      retryNum: extractRetryNumFromHTTPRequest(request),
      retryReason: extractRetryReasonFromHTTPRequest(request),
      isAcked,
    });
  }

  function awaitAnswer(id: string, response: ServerResponse): void {
    unanswered.set(id, response);
    const late = setTimeout(() => {
      log.warn({}, 'a request of Slack was not answered in time');
      fail(id, 'too late');
    }, awaitedMs);
    response.once('close', () => {
      clearTimeout(late);
      unanswered.delete(id);
    });
  }

  function take(id: string): ServerResponse | undefined {
    const response = unanswered.get(id);
    unanswered.delete(id);
    return response;
  }

  function fail(id: string, why: keyof typeof statuses): void {
    const response = take(id);
    if (response) buildNoBodyResponse(response, statuses[why]);
  }

  const slack = (request: IncomingMessage, response: ServerResponse) =>
    void receive(request, response).catch((error: unknown) => {
      logRefusal(messageOf(error));
      if (response.headersSent) return response.destroy();
      // After an incompletely read body, the following bytes are not a request.
      response.writeHead(error instanceof RefusedRequest ? error.status : 400, { connection: 'close' }).end();
    });

  return {
    async open() {
      const requestListener = createRequestListener({
        health: listener.health,
        slack: () => (isStarted ? slack : undefined),
        logger: log,
      });
      server = await listen({ port, ...(host === undefined ? {} : { host }) }, requestListener, limits);
      listener.problem(undefined);
      return server.port;
    },
    async start() {
      isStarted = true;
    },
    ack(id, answer) {
      const response = take(id);
      if (response) buildContentResponse(response, answer);
    },
    fail,
    stop: async () => server?.close(),
  };
}

/** How often refused requests are logged (ms): a flood of them must not keep the bot busy. */
const refusalsEveryMs = 10_000;

/** Returns a function that logs a refused request, with the number refused since the last line. */
function refusalLog(log: Pick<Log, 'warn'>): (reason: string) => void {
  let requests = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (reason) => {
    requests += 1;
    if (performance.now() - loggedAt < refusalsEveryMs) return;
    log.warn({ requests, reason }, 'requests to /slack/events were refused');
    requests = 0;
    loggedAt = performance.now();
  };
}
