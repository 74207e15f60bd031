import type { WebClientOptions } from '@slack/web-api';
import { slackFetch } from './slack-fetch.ts';

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
