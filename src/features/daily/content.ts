import type { CampaignCounts, DailyContent, PerVerdict } from '../../domain/daily-summary.ts';
import { money } from '../../domain/money.ts';
import type { CampaignId, MemberId, Verdict } from '../../domain/terms.ts';
import { deletedReason } from '../../ui/worker.view.ts';

/** Maximum number of reviewers and reasons in a summary. */
const namedReviewers = 50;
const namedReasons = 10;

const noRatings: PerVerdict = { OK: 0, NOK: 0, REVISE: 0 };

/**
 * Returns a summary's content from the counts of several campaigns; undefined if nothing was reviewed.
 * @param paymentOf returns a campaign's payment per task, decimal text
 * @param nameOf returns the name of a saved reason; undefined if it was removed
 */
export function dailyContent(
  span: Pick<DailyContent, 'from' | 'until'>,
  counts: readonly CampaignCounts[],
  paymentOf: (campaign: CampaignId) => string | undefined,
  nameOf: (reason: string) => string | undefined,
): DailyContent | undefined {
  const people = new Map<MemberId, PerVerdict>();
  const reasons = new Map<string, { verdict: Verdict; name?: string; tasks: number }>();
  let ratings = noRatings;
  let [paid, bonuses, unpriced] = [money(0), money(0), 0];
  for (const one of counts) {
    let approved = 0;
    for (const { by, verdict, tasks } of one.ratings) {
      ratings = plus(ratings, verdict, tasks);
      people.set(by, plus(people.get(by) ?? noRatings, verdict, tasks));
      if (verdict === 'OK') approved += tasks;
    }
    const payment = paymentOf(one.campaign);
    if (payment === undefined) unpriced += approved;
    else paid = paid.plus(money(payment).times(approved));
    bonuses = bonuses.plus(one.bonuses);
    for (const { verdict, reason, tasks } of one.reasons) {
      const name = reason === undefined ? undefined : (nameOf(reason) ?? deletedReason);
      const key = `${verdict} ${name ?? ''}`;
      const had = reasons.get(key)?.tasks ?? 0;
      reasons.set(key, { verdict, ...(name === undefined ? {} : { name }), tasks: had + tasks });
    }
  }
  if (sum(ratings) === 0) return undefined;
  const reviewers = [...people]
    .map(([member, own]) => ({ member, ratings: own }))
    .sort((a, b) => sum(b.ratings) - sum(a.ratings) || (a.member < b.member ? -1 : 1));
  const why = [...reasons.values()].sort((a, b) => b.tasks - a.tasks);
  return {
    ...span,
    ratings,
    reviewers: reviewers.slice(0, namedReviewers),
    paid: paid.toFixed(),
    bonuses: bonuses.toFixed(),
    unpriced,
    reasons: why.slice(0, namedReasons),
  };
}

function plus(ratings: PerVerdict, verdict: Verdict, tasks: number): PerVerdict {
  return { ...ratings, [verdict]: ratings[verdict] + tasks };
}

/** Returns the total number of tasks over all ratings. */
export function sum({ OK, NOK, REVISE }: PerVerdict): number {
  return OK + NOK + REVISE;
}
