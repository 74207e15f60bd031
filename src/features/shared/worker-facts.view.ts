import type { Verdict } from '../../domain/terms.ts';
import type { Listing, RatingCounts } from '../../domain/worker.ts';
import { isNotable, type Trend, type VerdictCounts } from '../../domain/worker-history.ts';
import { date, inline, user } from '../../slack/mrkdwn.ts';
import { ratedWords } from './worker-record.ts';

/** How often a saved reason was given to a worker; without a name it was removed since. */
interface GivenReason {
  readonly verdict: Verdict;
  readonly count: number;
  readonly name?: string;
}

/** What is known of a worker besides how many of their tasks have which rating. */
export interface WorkerFacts {
  /** The most frequent first. */
  readonly reasons: readonly GivenReason[];
  readonly trend?: Trend;
  readonly exclusion?: Listing;
}

/** A worker's tasks in one campaign. */
export interface CampaignRecord {
  readonly title: string;
  readonly counts: RatingCounts;
  /** It is the campaign of the task at hand. */
  readonly isHere: boolean;
}

/** All that is known of a worker. */
export interface WorkerHistory extends WorkerFacts {
  /** The one at hand first, then those with most ratings. */
  readonly campaigns: readonly CampaignRecord[];
  /** How many ratings `reasons` and `trend` are from, by verdict. */
  readonly rated: VerdictCounts;
}

/** So many reasons stand on a card, and those only that were given so often. */
const reasonsOnCard = 2;
const leastOnCard = 2;
/** So many campaigns and reasons are named where all is shown. */
const campaignsNamed = 6;
const reasonsNamed = 8;

/** Returns what of a worker's record belongs on a card, each fact with its numbers. */
export function workerFactsWords({ reasons, trend, exclusion }: WorkerFacts): string[] {
  const given = reasons.filter(({ count }) => count >= leastOnCard).slice(0, reasonsOnCard);
  return [
    ...(given.length === 0 ? [] : [`worker was given ${given.map(reasonWords).join(', ')}`]),
    ...(trend !== undefined && isNotable(trend) ? [trendWords(trend)] : []),
    ...(exclusion === undefined ? [] : [`worker was ${exclusionWords(exclusion)}`]),
  ];
}

function reasonWords({ name, verdict, count }: GivenReason): string {
  const shown = name === undefined ? 'a reason that was removed' : `“${inline(name, 75)}”`;
  return `${shown} ${times(count)} (${verdict})`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function trendWords({ latest, before }: Trend): string {
  const sum = (counts: VerdictCounts) => counts.OK + counts.NOK + counts.REVISE;
  return `worker’s latest ${sum(latest)} ratings: ${ratedWords(latest)}, the ${sum(before)} before: ${ratedWords(before)}`;
}

/** Returns who excluded a worker, and when, as the end of a sentence. */
export function exclusionWords({ by, at }: Listing): string {
  return by === undefined
    ? `excluded at the marketplace already, seen ${date(at)}`
    : `excluded here by ${user(by)}, ${date(at)}`;
}

/** Returns the record of a worker in lines of mrkdwn; none when nothing is known. Whether they are excluded is said beside it. */
export function workerHistoryLines({
  campaigns,
  reasons,
  trend,
  rated,
}: Omit<WorkerHistory, 'exclusion'>): string[] {
  const named = campaigns.slice(0, campaignsNamed);
  const others = campaigns.length - named.length;
  const total = rated.OK + rated.NOK + rated.REVISE;
  return [
    ...named.map(campaignLine),
    ...(others > 0 ? [`And in ${others} more ${others === 1 ? 'campaign' : 'campaigns'}`] : []),
    ...(total === 0 ? [] : [`Ratings seen as they were given, the latest ${total}: ${ratedWords(rated)}`]),
    ...(reasons.length === 0
      ? []
      : [`By reason: ${reasons.slice(0, reasonsNamed).map(reasonWords).join(', ')}`]),
    ...(trend === undefined ? [] : [`Trend: ${trendWords(trend)}`]),
  ];
}

function campaignLine({ title, counts, isHere }: CampaignRecord): string {
  const words = ratedWords(counts);
  const waiting = counts.NOTRATED + counts.NOTREVIEWED;
  const facts = [
    words === '' ? 'none rated yet' : words,
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} waiting`] : []),
  ];
  return `${isHere ? 'Here' : 'In'} ${isHere ? `(${inline(title)})` : inline(title)}: ${facts.join(', ')}`;
}
