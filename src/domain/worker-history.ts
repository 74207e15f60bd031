import type { Task } from './task.ts';
import { type Verdict, verdicts } from './terms.ts';

/** A rating given to a worker's task. */
export interface GivenRating {
  readonly verdict: Verdict;
  /** The saved reason used, if the rating was given here. */
  readonly reason?: string;
}

/** Number of ratings per verdict. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** Ratings of a worker's latest tasks, and of the previous ones. */
export interface Trend {
  readonly latest: VerdictCounts;
  readonly before: VerdictCounts;
}

/** How often a saved reason was given to a worker. */
export interface ReasonCount {
  readonly reason: string;
  readonly verdict: Verdict;
  readonly count: number;
}

/** Number of ratings that count as the latest; fewer previous ones say nothing. */
export const latestRatings = 20;
/** Minimum change in the share of OK for a trend to appear on a card. */
const notableChange = 0.2;

/** Returns the rating that a change of a task gives it, if any; each is returned once, whoever gave it. */
export function ratingGiven(before: Task | undefined, after: Task): GivenRating | undefined {
  const verdict = verdicts.find((one) => one === after.rating);
  if (verdict === undefined || before === undefined || before.rating === after.rating) return undefined;
  const { decision } = after;
  const isOwn = decision?.state === 'applied' && decision.verdict === verdict;
  return { verdict, ...(isOwn && decision.reason !== undefined ? { reason: decision.reason } : {}) };
}

/** Returns the number of ratings per verdict. */
export function verdictCounts(ratings: readonly GivenRating[]): VerdictCounts {
  const counts = { OK: 0, REVISE: 0, NOK: 0 };
  for (const { verdict } of ratings) counts[verdict] += 1;
  return counts;
}

/**
 * Returns how the latest ratings compare with the previous ones; undefined if there are too few. @param ratings oldest
 * first
 */
export function trendOf(ratings: readonly GivenRating[]): Trend | undefined {
  if (ratings.length < 2 * latestRatings) return undefined;
  return {
    latest: verdictCounts(ratings.slice(-latestRatings)),
    before: verdictCounts(ratings.slice(0, -latestRatings)),
  };
}

/** Returns whether a worker's latest tasks were rated clearly better or worse than the previous ones. */
export function isNotable({ latest, before }: Trend): boolean {
  return Math.abs(shareOfOk(latest) - shareOfOk(before)) >= notableChange;
}

function shareOfOk(counts: VerdictCounts): number {
  return counts.OK / (counts.OK + counts.NOK + counts.REVISE);
}

/** Returns how often each saved reason was given, most frequent first. */
export function reasonCounts(ratings: readonly GivenRating[]): ReasonCount[] {
  const counts = new Map<string, { reason: string; verdict: Verdict; count: number }>();
  for (const { reason, verdict } of ratings) {
    if (reason === undefined) continue;
    const known = counts.get(reason);
    if (known) known.count += 1;
    else counts.set(reason, { reason, verdict, count: 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}
