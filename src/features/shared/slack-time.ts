import type { PostAttempt } from '../../domain/live-message.ts';
import type { FeatureContext } from './context.ts';

type Clocks = Pick<FeatureContext, 'now' | 'slackAheadOf'>;

/** Worst-case uncertainty of Slack's clock when a post is searched for (ms). */
const searchMarginMs = 60_000;

/** Returns the time on Slack's clock as a field to store; empty while unknown. */
export function slackTimeOf({ now, slackAheadOf }: Clocks): { slackAt?: number } {
  const at = now();
  const ahead = slackAheadOf(at);
  return ahead === undefined ? {} : { slackAt: Math.floor(at + ahead) };
}

/** Converts a time to Slack's clock (ms), using the current clock difference. */
export function bySlack(at: number, { now, slackAheadOf }: Clocks): number {
  return at + (slackAheadOf(now()) ?? 0);
}

/**
 * Returns from when the channel is searched for a post (ms): before the attempt, on Slack's clock. That clock may have
 * been adjusted since, so its current difference is considered too.
 */
export function postedSince({ at, slackAt }: PostAttempt, clocks: Clocks): number {
  return Math.min(slackAt ?? at, bySlack(at, clocks)) - searchMarginMs;
}
