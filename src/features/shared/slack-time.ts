import type { PostAttempt } from '../../domain/live-message.ts';
import type { FeatureContext } from './context.ts';

type Clocks = Pick<FeatureContext, 'now' | 'slackAheadOf'>;

/** How exactly Slack's clock is known when a post is searched for, at worst (ms). */
const searchMarginMs = 60_000;

/** Returns the time by Slack's clock as a field to be stored; without it while that is not known. */
export function slackTimeOf({ now, slackAheadOf }: Clocks): { slackAt?: number } {
  const at = now();
  const ahead = slackAheadOf(at);
  return ahead === undefined ? {} : { slackAt: Math.floor(at + ahead) };
}

/** Returns a time as Slack's clock showed it then (ms), judging by how the clocks differ now. */
export function bySlack(at: number, { now, slackAheadOf }: Clocks): number {
  return at + (slackAheadOf(now()) ?? 0);
}

/**
 * Returns since when the channel is searched for a post (ms): from before it began, by Slack's clock. That may have been
 * set since, so what it shows now counts as well.
 */
export function postedSince({ at, slackAt }: PostAttempt, clocks: Clocks): number {
  return Math.min(slackAt ?? at, bySlack(at, clocks)) - searchMarginMs;
}
