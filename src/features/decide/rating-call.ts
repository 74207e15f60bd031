import { chunksOf, groupBy, runTogether } from '../../domain/collections.ts';
import { money } from '../../domain/money.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { MarketplaceClient, RatingEntry } from '../../marketplace/index.ts';
import type { SendOutcome, TaskWithDecision } from './send-outcome.ts';

/** Maximum number of tasks per call. */
const maxPerCall = 100;

/** Creates the rating call for decisions of one campaign with the same fields. It ends within `deadlineMs`. */
export function createRatingCall({ jobs }: Modules, outcomes: SendOutcome) {
  return async (
    ref: AccountRef,
    campaign: CampaignId,
    sent: readonly TaskWithDecision[],
    marketplace: MarketplaceClient,
    deadlineMs: number,
  ): Promise<void> => {
    const [first] = sent;
    if (sent.length === 1 && first && first.decision.verdict !== 'REVISE') {
      await marketplace.rateTask(campaign, entryOf(first), { deadlineMs });
      await jobs.faults('sent, not recorded');
      await outcomes.markRated(ref, campaign);
      await outcomes.recordApplied(ref, sent);
      return;
    }
    const answers = await marketplace.rateTasks(campaign, sent.map(entryOf), { deadlineMs });
    await jobs.faults('sent, not recorded');
    if (answers.some((answer) => answer?.success)) await outcomes.markRated(ref, campaign);
    await runTogether(sent, (task, index) => outcomes.recordAnswer(ref, task, answers[index]));
  };
}

function entryOf({ id, decision }: TaskWithDecision): RatingEntry {
  return {
    taskId: id,
    rating: decision.verdict,
    comment: decision.comment,
    ...(decision.bonus === undefined ? {} : { bonus: money(decision.bonus) }),
    ...(decision.favorite ? { favorite: decision.favorite } : {}),
  };
}

/**
 * Groups decisions into calls. A call's arrays are matched by position, so all decisions of one call have the same
 * fields (rate_tasks, "Form fields are arrays").
 */
export function groupIntoCalls(sent: readonly TaskWithDecision[]): TaskWithDecision[][] {
  const fields = ({ decision }: TaskWithDecision) =>
    `${decision.bonus !== undefined} ${decision.favorite !== undefined}`;
  return [...groupBy(sent, fields).values()].flatMap((group) => chunksOf(group, maxPerCall));
}
