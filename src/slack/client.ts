import { LogLevel, type Logger as SlackLogger, type WebClientOptions } from '@slack/web-api';
import { request } from 'undici';
import type { Logger } from '../logger.ts';

/**
 * Returns the options of every Web API client: it never retries or queues, since a retried post may post twice and one
 * limited method would block all others. Jobs wait instead.
 */
export function clientOptions(
  apiUrl: string | undefined,
  logger: NonNullable<WebClientOptions['logger']>,
  timeoutMs = 10_000,
) {
  return {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    logger,
    fetch: slackFetch,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    maxRequestConcurrency: 100,
  } satisfies WebClientOptions;
}

/**
 * Calls like the global `fetch`, for short text requests and answers, at a third of its cost: all of the bot's messages go
 * through here. It never follows a redirect: data sent to Slack, token included, go nowhere else.
 */
export async function slackFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const { method, headers, body, signal } = init ?? {};
  if (body != null && typeof body !== 'string') return fetch(input, { ...init, redirect: 'error' });
  const url = input instanceof Request ? input.url : String(input);
  const answer = await request(url, {
    method: (method ?? 'GET') as 'GET' | 'POST',
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? null,
    signal: signal ?? null,
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300 && answer.statusCode < 400) throw new TypeError('unexpected redirect');
  const found = Object.entries(answer.headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  // A response with a no-body status refuses even an empty body.
  return new Response(text === '' ? null : text, { status: answer.statusCode, headers: found });
}

/**
 * Creates Slack's clock, by the `Date` of its answers: posts are searched for by the time at which Slack has made them, and
 * this machine's clock may be minutes off.
 */
export function createSlackClock() {
  let ahead = 0;
  return {
    /** Calls like {@link slackFetch}, and reads the time of the answer. */
    async fetch(...call: Parameters<typeof fetch>): Promise<Response> {
      const response = await slackFetch(...call);
      const date = Date.parse(response.headers.get('date') ?? '');
      if (!Number.isNaN(date)) ahead = date - Date.now();
      return response;
    },

    /** Returns Slack's time (ms), exact to about a second. */
    now: () => Math.round(Date.now() + ahead),
  };
}

/**
 * Creates the logger of Bolt and its clients. Their debug messages are logged at trace level and without their payloads,
 * which contain people's modal inputs, such as API keys.
 */
export function slackLogger(log: Logger): SlackLogger {
  const write = (level: 'trace' | 'info' | 'warn' | 'error', tidy = (text: string) => text) => {
    return (...parts: unknown[]) => {
      // Each payload is logged several times before it is acked.
      if (!log.isLevelEnabled(level)) return;
      const error = parts.find((part) => part instanceof Error);
      log[level]({ from: 'bolt', ...(error ? { err: error } : {}) }, tidy(parts.map(String).join(' ')));
    };
  };
  return {
    debug: write('trace', withoutPayload),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

function withoutPayload(text: string): string {
  return text.replace(/[{[][\s\S]*|\bpayload=[\s\S]*/, '…');
}
