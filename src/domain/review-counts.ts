import type { Money } from './money.ts';
import type { Task } from './task.ts';
import type { CampaignId, MemberId, Verdict } from './terms.ts';

/** A decision that became a rating, for the counts. */
export interface SettledDecision {
  readonly at: number;
  readonly campaign: CampaignId;
  readonly by: MemberId;
  readonly verdict: Verdict;
  /** The saved reason used. */
  readonly reason?: string;
  /** Time from submission to decision (ms). */
  readonly tookMs?: number;
  /** Decimal text. */
  readonly bonus?: string;
}

/** Returns the decision that a change of a task has turned into a rating, if any; each is returned once. */
export function settledDecision(before: Task | undefined, after: Task): SettledDecision | undefined {
  const { decision } = after;
  if (decision?.state !== 'applied' || before?.decision?.state === 'applied') return undefined;
  const submittedAt = after.submittedAt ?? after.proof.finishedAt;
  return {
    at: after.ratedAt,
    campaign: after.campaign,
    by: decision.by,
    verdict: decision.verdict,
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
    ...(decision.bonus === undefined ? {} : { bonus: decision.bonus }),
    ...(submittedAt === undefined || submittedAt > decision.at ? {} : { tookMs: decision.at - submittedAt }),
  };
}

/** Times are counted on a scale with steps of about a ninth, so that a median is exact to a twentieth. */
const stepsPerDoubling = 8;

/** Returns the step of a time (ms). */
export function timeStep(ms: number): number {
  return Math.round(stepsPerDoubling * Math.log2(Math.max(1, ms / 1_000)));
}

/** Returns the midpoint of a step (ms). */
export function timeOfStep(step: number): number {
  return 1_000 * 2 ** (step / stepsPerDoubling);
}

/** Counts of one campaign. */
export interface CampaignCounts {
  readonly campaign: CampaignId;
  readonly ratings: readonly { readonly by: MemberId; readonly verdict: Verdict; readonly tasks: number }[];
  /** Number of decisions per time step. */
  readonly times: readonly { readonly step: number; readonly tasks: number }[];
  /** `reason` absent: in the reviewer's own words. */
  readonly reasons: readonly {
    readonly verdict: Verdict;
    readonly reason?: string;
    readonly tasks: number;
  }[];
  readonly bonuses: Money;
}

/** Number of tasks rated by a reviewer. */
export interface Reviewed {
  readonly by: MemberId;
  readonly count: number;
}

/** Returns the reviewers of a campaign with their task counts, highest first. */
export function reviewersOf({ ratings }: Pick<CampaignCounts, 'ratings'>): Reviewed[] {
  const counts = new Map<MemberId, number>();
  for (const { by, tasks } of ratings) counts.set(by, (counts.get(by) ?? 0) + tasks);
  return [...counts]
    .map(([by, count]) => ({ by, count }))
    .sort((a, b) => b.count - a.count || (a.by < b.by ? -1 : 1));
}
