import { slackFetch } from './slack-fetch.ts';

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
