import type { Verdict } from '../domain/terms.ts';
import type { Listing, RatingCounts, ShownRecord } from '../domain/worker.ts';
import { date, inline, user } from '../slack/mrkdwn.ts';
import { capital, number } from './words.ts';

/** How often a saved reason was given to a worker; unnamed if removed since. */
interface GivenReason {
  readonly verdict: Verdict;
  readonly count: number;
  readonly name?: string;
}

/** Facts about a worker besides their tasks per rating. */
export interface WorkerFacts {
  /** Most frequent first. */
  readonly reasons: readonly GivenReason[];
  readonly exclusion?: Listing;
}

export interface CampaignRecord {
  readonly title: string;
  readonly counts: RatingCounts;
  readonly isHere: boolean;
}

export interface WorkerHistory extends WorkerFacts {
  /** The current campaign first, then by number of ratings. */
  readonly campaigns: readonly CampaignRecord[];
}

/** Stands for the name of a saved reason that is no longer stored. */
export const deletedReason = 'a deleted reason';

/** Maximum number of reasons on a card, and their minimum count. */
const reasonsOnCard = 2;
const leastOnCard = 2;
/** Maximum number of campaigns and reasons named in the full history. */
const campaignsNamed = 6;
const reasonsNamed = 8;

/** Returns the part of a worker's record for a card, each fact with its numbers. */
export function workerFactsWords({ reasons, exclusion }: WorkerFacts): string[] {
  const given = reasons.filter(({ count }) => count >= leastOnCard).slice(0, reasonsOnCard);
  return [
    ...(given.length === 0 ? [] : [reasonsWords(given)]),
    ...(exclusion === undefined ? [] : [`worker was ${exclusionWords(exclusion)}`]),
  ];
}

/** Returns how often which rating was given for which reason; a rating is not repeated. */
function reasonsWords(reasons: readonly GivenReason[]): string {
  return reasons
    .map(({ name, verdict, count }, index) => {
      const shown = name === undefined ? deletedReason : `“${inline(name, 75)}”`;
      const rating = reasons[index - 1]?.verdict === verdict ? '' : `${verdict} `;
      return `${rating}${times(count)} for ${shown}`;
    })
    .join(', ');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** Returns who excluded a worker and when, worded to end a sentence. */
export function exclusionWords({ by, at }: Listing): string {
  return by === undefined
    ? `excluded at the marketplace already, seen ${date(at)}`
    : `excluded here by ${user(by)}, ${date(at)}`;
}

/** Returns a worker's record in lines of mrkdwn; none if nothing is known. Exclusion is shown separately. */
export function workerHistoryLines(history: Omit<WorkerHistory, 'exclusion'>): string[] {
  const { campaigns, reasons } = history;
  const named = campaigns.slice(0, campaignsNamed);
  const others = campaigns.length - named.length;
  return [
    ...named.map(campaignLine),
    ...(others > 0 ? [`And in ${others} more ${others === 1 ? 'campaign' : 'campaigns'}`] : []),
    ...(reasons.length === 0 ? [] : [`By reason: ${reasonsWords(reasons.slice(0, reasonsNamed))}`]),
  ];
}

function campaignLine({ title, counts, isHere }: CampaignRecord): string {
  const words = ratedWords(counts);
  const waiting = counts.NOTRATED + counts.NOTREVIEWED;
  const facts = [
    words === '' ? 'no ratings yet' : words,
    ...(waiting > 0 ? [`${number(waiting)} waiting`] : []),
  ];
  return `${isHere ? 'Here' : 'In'} ${isHere ? `(${inline(title)})` : inline(title)}: ${facts.join(', ')}`;
}

/** Returns a worker's record in one line, failures first; undefined if none of their tasks has been seen. */
export function workerRecordLine({ counts, campaigns, here }: ShownRecord): string | undefined {
  if (campaigns === 0) return undefined;
  const { NOK, REVISE, OK, NOTRATED, NOTREVIEWED } = counts;
  const rated = counted([
    [NOK, 'NOK'],
    [REVISE, REVISE === 1 ? 'revision requested' : 'revisions requested'],
    [OK, 'OK'],
  ]);
  const ratedHere = here === undefined ? '' : ratedWords(here);
  const isNewHere = rated.length === 0 || (here !== undefined && ratedHere === '');
  const inCampaigns = campaigns > 1 ? ` in ${number(campaigns)} campaigns` : '';
  const facts = [
    ...rated,
    ...(isNewHere ? [rated.length === 0 ? 'no ratings here yet' : 'none in this campaign'] : []),
    ...(ratedHere === '' ? [] : [`here ${ratedHere}`]),
    // One is the task at hand.
    ...(NOTRATED > 1 ? [`${number(NOTRATED)} waiting${inCampaigns}`] : []),
    ...(NOTREVIEWED > 0 ? [`${number(NOTREVIEWED)} at the marketplace`] : []),
  ];
  return capital(facts.join(' · '));
}

/** Returns the number of tasks per rating, in words; '' for none. */
export function ratedWords({ OK, NOK, REVISE }: NonNullable<ShownRecord['here']>): string {
  return counted([
    [NOK, 'NOK'],
    [REVISE, 'REVISE'],
    [OK, 'OK'],
  ]).join(', ');
}

function counted(facts: readonly (readonly [count: number, words: string])[]): string[] {
  return facts.filter(([count]) => count > 0).map(([count, words]) => `${number(count)} ${words}`);
}
