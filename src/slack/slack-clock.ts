import { setTimeout as delay } from 'node:timers/promises';
import { slackFetch } from './slack-fetch.ts';

/** Slack refuses to be believed, and is refused, when clocks differ by more than this (ms): its signatures expire. */
const longestSkewMs = 300_000;

/** A skew that was measured longer ago is measured again before it is reported (ms). */
const skewValidMs = 5_000;

/** How long a report waits for a measurement (ms). */
const askTimeoutMs = 1_000;

/** Slack's time is unknown again when it was measured longer ago (ms). */
const timeValidMs = 600_000;

/**
 * Creates the measure of Slack's clock, from the `Date` of its answers: exact to about a second. In between it counts the
 * time that passes, so that no setting of this machine's clock changes it.
 */
export function createSlackClock() {
  let measured: { readonly slack: number; readonly elapsed: number } | undefined;

  /** Returns Slack's time (ms); undefined while it is not known. */
  function time(): number | undefined {
    if (measured === undefined) return undefined;
    const since = performance.now() - measured.elapsed;
    return since > timeValidMs ? undefined : measured.slack + since;
  }

  return {
    /** Calls like {@link slackFetch}, and measures. Web API clients use it. */
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

    /** Returns how far Slack's clock is ahead of a time that is now (ms); undefined while that is not known. */
    aheadOf(now: number): number | undefined {
      const slack = time();
      return slack === undefined ? undefined : slack - now;
    },

    /**
     * Returns why Slack's requests are refused by this machine's clock, as a sentence; undefined when they are not. They are
     * signed with Slack's time, which Bolt compares with Date.now().
     * @param ask makes any call to Slack: what was measured a while ago is measured again before it is reported
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
