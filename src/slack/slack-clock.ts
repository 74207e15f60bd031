import { setTimeout as delay } from 'node:timers/promises';
import { slackFetch } from './slack-fetch.ts';

/**
 * Signatures expire when clocks differ by more than this (ms): Slack's requests are then refused here, and ours by Slack.
 */
const longestSkewMs = 300_000;

/** An older measurement of the skew is repeated before it is reported (ms). */
const skewValidMs = 5_000;

/** How long a report waits for a measurement (ms). */
const askTimeoutMs = 1_000;

/** Slack's time is unknown again when its measurement is older than this (ms). */
const timeValidMs = 600_000;

/**
 * Creates the measurement of Slack's clock, from the `Date` of its answers: accurate to about a second. Between measurements
 * it counts elapsed time, so that changes of this machine's clock do not affect it.
 */
export function createSlackClock() {
  let measured: { readonly slack: number; readonly elapsed: number } | undefined;

  /** Returns Slack's time (ms); undefined while unknown. */
  function time(): number | undefined {
    if (measured === undefined) return undefined;
    const since = performance.now() - measured.elapsed;
    return since > timeValidMs ? undefined : measured.slack + since;
  }

  return {
    /** Calls like {@link slackFetch}, and measures. Used by Web API clients. */
    async fetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
      const sentAt = performance.now();
      const response = await slackFetch(input, init);
      const answeredAt = performance.now();
      const date = Date.parse(response.headers.get('date') ?? '');
      // The header has no fractions of a second.
      if (!Number.isNaN(date)) measured = { slack: date + 500, elapsed: (sentAt + answeredAt) / 2 };
      return response;
    },

    time,

    /** Returns how far Slack's clock is ahead of the given current time (ms); undefined while unknown. */
    aheadOf(now: number): number | undefined {
      const slack = time();
      return slack === undefined ? undefined : slack - now;
    },

    /**
     * Returns why this machine's clock makes Slack's requests fail, as a sentence; undefined when it does not. They are
     * signed with Slack's time, which Bolt compares with Date.now().
     * @param ask makes any call to Slack: an old measurement is repeated before it is reported
     */
    async problem(ask: () => Promise<unknown>): Promise<string | undefined> {
      const skew = () => (time() ?? Date.now()) - Date.now();
      if (Math.abs(skew()) <= longestSkewMs) return undefined;
      if (measured && performance.now() - measured.elapsed > skewValidMs) {
        const late = delay(askTimeoutMs, undefined, { ref: false });
        await Promise.race([ask().catch(() => undefined), late]);
        if (Math.abs(skew()) <= longestSkewMs) return undefined;
      }
      const minutes = Math.round(Math.abs(skew()) / 60_000);
      const direction = skew() < 0 ? 'ahead of' : 'behind';
      return `This machine's clock is ${minutes} minutes ${direction} Slack's, so Slack's requests are refused (their signatures expire after 5 minutes). Set the clock.`;
    },
  };
}
