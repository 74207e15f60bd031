import { groupBy } from '../group.ts';
import type { CampaignId, MemberId } from '../terms.ts';
import { krippendorffAlpha } from './agreement.ts';
import { type RateWithInterval, rateWithInterval } from './interval.ts';
import type { SecondLookOutcome } from './outcome.ts';

/** Statistics of tasks with two looks; {@link drawnByChance} selects those that are representative. */
export interface LookFigures {
  /** How many second looks differed from the first. */
  readonly differing: RateWithInterval;
  /**
   * Krippendorff's alpha over the first and second looks, which are blind to each other; undefined if meaningless. The
   * third look is excluded, because its reviewer has seen both.
   */
  readonly alpha: number | undefined;
}

/** Statistics of a group of decisions, and its key. */
export interface GroupFigures<Key> extends LookFigures {
  readonly key: Key;
}

/** Others' verdicts on a reviewer's decisions, and that reviewer's looks for others. */
export interface ReviewerFigures extends LookFigures {
  readonly member: MemberId;
  /** How often the third look agreed with this reviewer, among differing ones. */
  readonly upheld: { readonly count: number; readonly of: number };
  /** Number of second and third looks this reviewer gave. */
  readonly given: number;
}

/** Returns whether the two looks came to different verdicts. */
export function isDiffering({ first, second }: Pick<SecondLookOutcome, 'first' | 'second'>): boolean {
  return first.verdict !== second.verdict;
}

/**
 * Returns the outcomes that represent all decisions of a campaign: those drawn by its share, which is the same for
 * everybody. The others were selected for their properties: a large bonus, a NOK in bulk, a new reviewer. How often
 * these differ says nothing about the rest.
 */
export function drawnByChance(outcomes: readonly SecondLookOutcome[]): SecondLookOutcome[] {
  return outcomes.filter(({ why }) => why === 'share');
}

/** Returns the statistics of looks. */
export function figuresOf(outcomes: readonly SecondLookOutcome[]): LookFigures {
  return {
    differing: rateWithInterval(outcomes.filter(isDiffering).length, outcomes.length),
    alpha: krippendorffAlpha(outcomes.map(({ first, second }) => [first.verdict, second.verdict])),
  };
}

/**
 * Minimum number of differing second looks, and the share that must be exceeded with certainty, for a brief to count as
 * faulty.
 */
const leastDiffering = 3;
const differingForSure = 0.1;

/** Returns whether second looks in one campaign differ so often that its instructions may be at fault. */
export function sayBriefAtFault(outcomes: readonly SecondLookOutcome[]): boolean {
  const { count, low } = figuresOf(outcomes).differing;
  return count >= leastDiffering && low >= differingForSure;
}

/** Returns the statistics per campaign, most looks first. */
export function figuresByCampaign(outcomes: readonly SecondLookOutcome[]): GroupFigures<CampaignId>[] {
  return figuresBy(outcomes, ({ campaign }) => campaign);
}

/**
 * Returns the statistics per saved reason of the first look, most looks first. First looks without one are excluded: an
 * OK needs none, and typed texts form no group.
 */
export function figuresByReason(outcomes: readonly SecondLookOutcome[]): GroupFigures<string>[] {
  const chosen = outcomes.filter(({ first }) => first.reason !== undefined);
  return figuresBy(chosen, ({ first }) => first.reason ?? '');
}

function figuresBy<Key extends string>(
  outcomes: readonly SecondLookOutcome[],
  keyOf: (outcome: SecondLookOutcome) => Key,
): GroupFigures<Key>[] {
  return [...groupBy(outcomes, keyOf)]
    .map(([key, some]) => ({ key, ...figuresOf(some) }))
    .sort((a, b) => b.differing.of - a.differing.of || a.key.localeCompare(b.key));
}

/** Returns others' verdicts on a reviewer's decisions, and that reviewer's looks for others. */
export function figuresOfReviewer(outcomes: readonly SecondLookOutcome[], member: MemberId): ReviewerFigures {
  const own = outcomes.filter(({ first }) => first.member === member);
  const decided = own.filter((outcome) => isDiffering(outcome) && outcome.third !== undefined);
  return {
    member,
    ...figuresOf(own),
    upheld: {
      count: decided.filter(({ first, third }) => third?.verdict === first.verdict).length,
      of: decided.length,
    },
    given: outcomes.filter(({ second, third }) => second.member === member || third?.member === member)
      .length,
  };
}

/** Returns the statistics of everybody who gave a look, by member id: an order by rate would be a ranking. */
export function figuresByReviewer(outcomes: readonly SecondLookOutcome[]): ReviewerFigures[] {
  const members = new Set(
    outcomes.flatMap(({ first, second, third }) =>
      [first, second, third].flatMap((look) => look?.member ?? []),
    ),
  );
  return [...members].sort().map((member) => figuresOfReviewer(outcomes, member));
}
