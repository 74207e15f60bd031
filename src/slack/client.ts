import { setTimeout as delay } from 'node:timers/promises';
import { LogLevel, type Logger as SlackLogger, type WebClientOptions } from '@slack/web-api';
import type { WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { Paused } from '../jobs/queue.ts';
import type { Logger } from '../logger.ts';
import {
  channelPause,
  type LimitedCall,
  type Pauses,
  postMethod,
  type RateLimiter,
  slackPause,
} from '../store/pauses.ts';
import { isChannelError, isWorkspaceError, SlackError } from './slack-error.ts';

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

/** Calls like the global `fetch`, but follows no redirect: data sent to Slack, token included, go nowhere else. */
export async function slackFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  return fetch(input, { ...init, redirect: 'error' });
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

/**
 * Calls Slack if the rate limits allow it now; a post also waits for its turn if that is soon. Throws `Paused`
 * (src/jobs/queue.ts) otherwise, and while Slack or the channel pauses.
 */
export type CallSlack = <T>(
  call: Pick<LimitedCall, 'method' | 'channel'>,
  run: () => Promise<T>,
) => Promise<T>;

export type CallSlackOptions = Pick<LimitedCall, 'isBackground'>;

type CallSlackOf = (workspace: WorkspaceId, options?: CallSlackOptions) => CallSlack;

/** Maximum time that a post, or a further call of the same job, waits for its turn within the job (ms). */
const longestWaitMs = 2_000;

/**
 * Creates the function by which jobs call Slack. While Slack or the channel pauses, they wait; then one call is the probe.
 * When Slack limits a method in a channel, all jobs of all processes that make the same call wait, and no others but the
 * workspace's background calls of that method, if it was one of them.
 */
export function createCallSlack(rateLimiter: RateLimiter, pauses: Pauses): CallSlackOf {
  return (workspace, { isBackground = false } = {}) => {
    /** Whether the job has made a call: were it to begin anew for the next one, it would make the first one again. */
    let hasCalled = false;

    async function acquire(call: LimitedCall): Promise<void> {
      for (;;) {
        const waitMs = await rateLimiter.acquire(call);
        if (waitMs <= 0) return;
        const waitsHere = call.method === postMethod || hasCalled;
        if (!waitsHere || waitMs > longestWaitMs) throw new Paused(waitMs, call.method);
        await delay(waitMs);
      }
    }
    return async (at, run) => {
      const call = { workspace, ...at, isBackground };
      const names = at.channel === undefined ? [slackPause] : [slackPause, channelPause(at.channel)];
      const entry = await pauses.enter(workspace, names);
      if (entry.waitMs > 0) throw new Paused(entry.waitMs, at.method);
      let isRefusedByChannel = false;
      try {
        await acquire(call);
        const answer = await run();
        hasCalled = true;
        return answer;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        isRefusedByChannel = isChannelError(error);
        if (error.kind !== 'rate-limited') throw error;
        await rateLimiter.blockFor(call, error.retryAfterMs);
        throw new Paused(error.retryAfterMs, at.method);
      } finally {
        // Who posts records that the channel refuses it. Until then, it stays the only probe.
        if (!isRefusedByChannel) await entry.release();
      }
    };
  };
}

/** Number of calls in a row without a usable answer that begin a pause: single ones may fail. */
const pausesAfter = 3;
/** How old the last result may be before `check` calls Slack itself (ms). */
const maxAgeMs = 60_000;

/** Creates what records the results of all calls of Slack's Web API for the workspace's pause. */
export function createSlackPause({
  workspace,
  pauses,
  logger,
  now,
  onCall,
}: {
  readonly pauses: Pauses;
  readonly logger: Logger;
  readonly now: () => number;
  readonly workspace: WorkspaceId;
  readonly onCall?: ((method: string, failure: SlackError | undefined) => void) | undefined;
}) {
  let resultAt = performance.now();

  /** A 429 is left to the rate limiter, and a refusal of one message proves that Slack answers. */
  async function record(failure: SlackError | undefined, began: number) {
    if (failure?.kind === 'rate-limited') return;
    resultAt = performance.now();
    if (failure && (failure.kind === 'unreachable' || isWorkspaceError(failure))) {
      const { code } = failure;
      const after = isWorkspaceError(failure) ? 1 : pausesAfter;
      if (await pauses.fail(workspace, slackPause, { code, began, pausesAfter: after }))
        logger.warn({ workspace, code }, 'jobs pause their calls to Slack');
      return;
    }
    const over = await pauses.succeed(workspace, slackPause, began);
    if (over !== undefined)
      logger.info({ workspace, code: over.code, since: over.since }, 'Slack works again');
  }

  return {
    /** Records the result of a call. Never rejects. @param ageMs how long ago it began */
    async record(failure: SlackError | undefined, ageMs: number, method: string): Promise<void> {
      onCall?.(method, failure);
      await record(failure, now() - ageMs).catch((error: unknown) =>
        logger.warn({ workspace, reason: messageOf(error) }, 'result of a call to Slack not recorded'),
      );
    },

    /**
     * Makes a call when the last result is old or a pause has ended, so that an idle bot notices an outage, and its end.
     * @param ask makes any call of the Web API, whose result is recorded
     */
    async check(ask: () => Promise<unknown>): Promise<void> {
      const { waitMs, isProbe } = await pauses.enter(workspace, [slackPause]);
      if (waitMs > 0 || (!isProbe && performance.now() - resultAt < maxAgeMs)) return;
      resultAt = performance.now();
      ask().catch(() => undefined);
    },
  };
}
