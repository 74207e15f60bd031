import type { DecisionEvent } from '../../domain/events.ts';
import { money } from '../../domain/money.ts';
import { isResubmitted } from '../../domain/resubmission.ts';
import { type Decision, mayBeApplied } from '../../domain/task.ts';
import type { Rating } from '../../domain/terms.ts';
import { normalizeSpace } from '../../domain/text.ts';
import type { MarketplaceClient, TaskInfo } from '../../marketplace/index.ts';
import type { Sending } from './send.ts';

/**
 * Finds out what became of a decision that was sent without a usable answer, from the marketplace itself.
 * Gives what happened, or `open` when the task is still to be rated, so that it can be sent (again).
 * Throws the client's errors when the marketplace cannot be asked.
 */
export async function reconcileDecision(
  marketplace: Pick<MarketplaceClient, 'getTaskInfo'>,
  task: Sending,
  now: () => number,
): Promise<DecisionEvent | 'open'> {
  const { decision } = task;
  const info = await marketplace.getTaskInfo(task.id);
  const applied = { type: 'applied', decision: decision.id, at: now(), answered: false } as const;
  const overtaken = (rating: Rating, comment: string) =>
    ({
      type: 'overtaken',
      decision: decision.id,
      attempt: decision.attempts,
      rating,
      comment,
      at: now(),
    }) as const;

  const said = info.employerComment;
  if (info.rating === 'NOTREVIEWED' || (info.rating === 'NOTRATED' && isCorrectedElsewhere(info, task))) {
    // Sent back and corrected already: what was decided was about the proof before, and must not meet this one.
    const mayBeOurs = decision.verdict === 'REVISE' && mayBeApplied(decision);
    if (
      mayBeOurs &&
      (normalizeSpace(said) === '' || normalizeSpace(said) === normalizeSpace(decision.comment))
    )
      return applied;
    return overtaken(info.rating === 'NOTRATED' ? 'REVISE' : info.rating, said);
  }
  if (info.rating === 'NOTRATED') return 'open';
  if (mayBeApplied(decision) && isSame(info, decision)) return applied;
  return overtaken(info.rating, said);
}

/** Whether a rating is what was decided, in all that the marketplace tells of it. */
function isSame({ rating, employerComment, bonusWorkerEarned }: TaskInfo, decision: Decision): boolean {
  return (
    rating === decision.verdict &&
    normalizeSpace(employerComment) === normalizeSpace(decision.comment) &&
    bonusWorkerEarned.eq(money(decision.bonus ?? '0'))
  );
}

/** The results CSV and get_task_info may write the same moment differently: their times are compared only within one. */
function isCorrectedElsewhere(info: TaskInfo, { proof, detailed }: Sending): boolean {
  const known = { submittedAt: proof.finishedAt, slots: proof.slots };
  return isResubmitted(known, { submittedAt: info.finishedAt?.getTime(), slots: info.proof }, detailed);
}
