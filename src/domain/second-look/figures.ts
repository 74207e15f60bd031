import { groupBy } from '../group.ts';
import type { CampaignId, MemberId } from '../terms.ts';
import { krippendorffAlpha } from './agreement.ts';
import { type RateWithInterval, rateWithInterval } from './interval.ts';
import type { SecondLookOutcome } from './outcome.ts';

/** What the looks at some tasks say: of the decisions that two people looked at, which {@link drawnByChance} makes more of. */
export interface LookFigures {
  /** How many of the second looks differed from the first. */
  readonly differing: RateWithInterval;
  /**
   * Krippendorff's alpha over the first and the second looks, which nobody gave knowing the other; undefined where it says
   * nothing. The third look is left out: whoever gives it has seen both.
   */
  readonly alpha: number | undefined;
}

/** The figures of some decisions, and what these have in common. */
export interface GroupFigures<Key> extends LookFigures {
  readonly key: Key;
}

/** What others said of one reviewer's decisions, and what that reviewer did for others. */
export interface ReviewerFigures extends LookFigures {
  readonly member: MemberId;
  /** Of the differing ones, how often the third look agreed with this reviewer. */
  readonly upheld: { readonly count: number; readonly of: number };
  /** Second and third looks that this reviewer gave. */
  readonly given: number;
}

/** Returns whether the two looks came to different verdicts. */
export function isDiffering({ first, second }: Pick<SecondLookOutcome, 'first' | 'second'>): boolean {
  return first.verdict !== second.verdict;
}

/**
 * Returns the outcomes that speak for all decisions of a campaign: those that were drawn by its share, which is the same for
 * everybody. The others were looked at because of what they are: a large bonus, a NOK in bulk, a new reviewer. How often
 * these differ says nothing about the rest.
 */
export function drawnByChance(outcomes: readonly SecondLookOutcome[]): SecondLookOutcome[] {
  return outcomes.filter(({ why }) => why === 'share');
}

/** Returns what the looks at some tasks say. */
export function figuresOf(outcomes: readonly SecondLookOutcome[]): LookFigures {
  return {
    differing: rateWithInterval(outcomes.filter(isDiffering).length, outcomes.length),
    alpha: krippendorffAlpha(outcomes.map(({ first, second }) => [first.verdict, second.verdict])),
  };
}

/** So many second looks that differ, of which more than such a share differ for sure, say that a brief may be at fault. */
const leastDiffering = 3;
const differingForSure = 0.1;

/** Returns whether second looks at tasks of one campaign differ so often that its instructions may be at fault. */
export function sayBriefAtFault(outcomes: readonly SecondLookOutcome[]): boolean {
  const { count, low } = figuresOf(outcomes).differing;
  return count >= leastDiffering && low >= differingForSure;
}

/** Returns the figures of each campaign, the one with most looks first. */
export function figuresByCampaign(outcomes: readonly SecondLookOutcome[]): GroupFigures<CampaignId>[] {
  return figuresBy(outcomes, ({ campaign }) => campaign);
}

/**
 * Returns the figures of each saved reason that a first look was given with, the one with most looks first. First looks without
 * one are left out: an OK needs none, and what was typed is no group.
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

/** Returns what others said of one reviewer's decisions, and what that reviewer did for others. */
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

/** Returns the figures of everybody who gave a look, by name of the member: an order by rate would be a ranking. */
export function figuresByReviewer(outcomes: readonly SecondLookOutcome[]): ReviewerFigures[] {
  const members = new Set(
    outcomes.flatMap(({ first, second, third }) =>
      [first, second, third].flatMap((look) => look?.member ?? []),
    ),
  );
  return [...members].sort().map((member) => figuresOfReviewer(outcomes, member));
}
