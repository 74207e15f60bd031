import { createHmac } from 'node:crypto';
import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';

interface Client {
  readonly request: typeof requestHttp;
  readonly agent: HttpAgent;
}

/** The app's HTTP response, or why there was none. */
export type HttpOutcome =
  | { kind: 'answered'; status: number; body: unknown; noRetry: boolean }
  | { kind: 'timeout' }
  | { kind: 'failed'; reason: string };

export type HttpPayload = { kind: 'form'; fields: Record<string, string> } | { kind: 'json'; value: unknown };

/** Returns Slack's signature of a request: version 0, HMAC-SHA256 of `v0:<timestamp>:<body>`. */
export function signature(secret: string, timestamp: number, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

export type HttpDelivery = {
  post: (
    url: string,
    payload: HttpPayload,
    options: {
      secret: string;
      /** The time by Slack's clock (ms). */
      sentAt: number;
      timeoutMs: number;
      retry?: { num: number; reason: string } | undefined;
      /** Whether to cut the connection once the request is sent. */
      dropAfterSending?: boolean;
    },
  ) => Promise<HttpOutcome>;
  close: () => void;
};

/**
 * Creates the client for the app's request URL, without keep-alive: idle connections would block an app's shutdown. Node's
 * client, since undici's needs twice the time for a connection that is used once: the benchmarks of acks would measure that.
 */
export function createHttpDelivery(): HttpDelivery {
  const clients: Readonly<Record<string, Client>> = {
    'http:': { request: requestHttp, agent: new HttpAgent() },
    'https:': { request: requestHttps, agent: new HttpsAgent() },
  };
  return {
    post: async (url, payload, { secret, sentAt, timeoutMs, retry, dropAfterSending }) => {
      const body =
        payload.kind === 'json'
          ? JSON.stringify(payload.value)
          : new URLSearchParams(payload.fields).toString();
      const timestamp = Math.floor(sentAt / 1000);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      // Long enough to flush the end of the body, too short for most answers.
      const sent = () => {
        if (dropAfterSending === true) setTimeout(() => controller.abort(), 20);
      };
      try {
        const response = await postBody(clients, url, body, sent, {
          signal: controller.signal,
          headers: {
            'content-type':
              payload.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
            'content-length': String(Buffer.byteLength(body)),
            'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
            'x-slack-request-timestamp': String(timestamp),
            'x-slack-signature': signature(secret, timestamp, body),
            ...(retry === undefined
              ? {}
              : { 'x-slack-retry-num': String(retry.num), 'x-slack-retry-reason': retry.reason }),
          },
        });
        const answer = await text(response);
        if (dropAfterSending === true) return { kind: 'failed', reason: 'connection_failed' };
        return {
          kind: 'answered',
          status: response.statusCode ?? 0,
          body: parseBody(answer),
          noRetry: response.headers['x-slack-no-retry'] === '1',
        };
      } catch (error) {
        if (controller.signal.aborted && dropAfterSending !== true) return { kind: 'timeout' };
        return { kind: 'failed', reason: reasonOf(error) };
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      for (const { agent } of Object.values(clients)) agent.destroy();
    },
  };
}

/** Posts a body. Resolves to the response once its headers are there. @param sent called when all of the body is sent */
function postBody(
  clients: Readonly<Record<string, Client>>,
  url: string,
  body: string,
  sent: () => void,
  options: RequestOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = clients[new URL(url).protocol];
    if (client === undefined) return reject(new Error(`not a web address: ${url}`));
    const sending = client.request(url, { ...options, agent: client.agent, method: 'POST' });
    sending.once('response', resolve).once('error', reject).end(body, sent);
  });
}

/** Returns the reason of a failure: that of the first address, if a name has several. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return first instanceof Error ? first.message : String(first);
}

function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
