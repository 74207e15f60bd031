import type { Task } from './task.ts';
import { type Verdict, verdicts } from './terms.ts';

/** A rating that a task of a worker was given. */
export interface GivenRating {
  readonly verdict: Verdict;
  /** The saved reason that it was given with, where it was given here. */
  readonly reason?: string;
}

/** How many ratings are which verdict. */
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** How a worker's latest tasks were rated, and those before. */
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

/** So many ratings are the latest ones; fewer before them say nothing. */
export const latestRatings = 20;
/** By so much the share of OK differs where a trend is worth a place on a card. */
const notableChange = 0.2;

/** Returns the rating that a change of a task gives it, if any: each is given once, whoever gave it. */
export function ratingGiven(before: Task | undefined, after: Task): GivenRating | undefined {
  const verdict = verdicts.find((one) => one === after.rating);
  if (verdict === undefined || before === undefined || before.rating === after.rating) return undefined;
  const { decision } = after;
  const isOwn = decision?.state === 'applied' && decision.verdict === verdict;
  return { verdict, ...(isOwn && decision.reason !== undefined ? { reason: decision.reason } : {}) };
}

/** Returns how many of some ratings are which verdict. */
export function verdictCounts(ratings: readonly GivenRating[]): VerdictCounts {
  const counts = { OK: 0, REVISE: 0, NOK: 0 };
  for (const { verdict } of ratings) counts[verdict] += 1;
  return counts;
}

/** Returns how the latest ratings compare with those before; undefined while there are too few. @param ratings oldest first */
export function trendOf(ratings: readonly GivenRating[]): Trend | undefined {
  if (ratings.length < 2 * latestRatings) return undefined;
  return {
    latest: verdictCounts(ratings.slice(-latestRatings)),
    before: verdictCounts(ratings.slice(0, -latestRatings)),
  };
}

/** Returns whether a worker's latest tasks were rated clearly better or worse than those before. */
export function isNotable({ latest, before }: Trend): boolean {
  return Math.abs(shareOfOk(latest) - shareOfOk(before)) >= notableChange;
}

function shareOfOk(counts: VerdictCounts): number {
  return counts.OK / (counts.OK + counts.NOK + counts.REVISE);
}

/** Returns how often each saved reason was given, the most frequent first. */
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
