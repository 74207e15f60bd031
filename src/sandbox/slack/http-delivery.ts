import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';

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
  close: () => Promise<void>;
};

/** Creates the client for the app's request URL, without keep-alive: idle connections would block an app's shutdown. */
export function createHttpDelivery(): HttpDelivery {
  const dispatcher = new Agent({ pipelining: 0 });
  return {
    post: async (url, payload, { secret, sentAt, timeoutMs, retry, dropAfterSending }) => {
      const body =
        payload.kind === 'json'
          ? JSON.stringify(payload.value)
          : new URLSearchParams(payload.fields).toString();
      const timestamp = Math.floor(sentAt / 1000);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      const sent = Readable.from([body]);
      // Long enough to flush the end of the body, too short for most answers.
      if (dropAfterSending === true) sent.once('end', () => setTimeout(() => controller.abort(), 20));
      try {
        const response = await request(url, {
          method: 'POST',
          dispatcher,
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
          body: sent,
        });
        const text = await response.body.text();
        if (dropAfterSending === true) return { kind: 'failed', reason: 'connection_failed' };
        return {
          kind: 'answered',
          status: response.statusCode,
          body: parseBody(text),
          noRetry: response.headers['x-slack-no-retry'] === '1',
        };
      } catch (error) {
        if (controller.signal.aborted && dropAfterSending !== true) return { kind: 'timeout' };
        return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
