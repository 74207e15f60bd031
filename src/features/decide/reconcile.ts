import type { DecisionEvent } from '../../domain/events.ts';
import { money } from '../../domain/money.ts';
import { isResubmitted, submissionOrder } from '../../domain/resubmission.ts';
import { type Decision, mayBeApplied } from '../../domain/task.ts';
import type { Rating } from '../../domain/terms.ts';
import { normalizeSpace } from '../../domain/text.ts';
import { type MarketplaceClient, type TaskInfo, TransportError } from '../../marketplace/index.ts';
import type { TaskWithDecision } from './send-outcome.ts';

/**
 * Reconciles a decision sent without a usable answer with the marketplace. Returns the resulting event, or `open` if the
 * task is not rated yet and the decision can be sent (again). Throws the client's errors if the marketplace cannot be
 * asked.
 */
export async function reconcileDecision(
  marketplace: Pick<MarketplaceClient, 'getTaskInfo'>,
  task: TaskWithDecision,
  now: () => number,
): Promise<DecisionEvent | 'open'> {
  const { decision } = task;
  const info = await marketplace.getTaskInfo(task.id);
  if (isOutdated(info, task)) throw outdatedAnswer();
  const applied = { type: 'applied', decision: decision.id, at: now(), answered: false } as const;
  const overtaken = (rating: Rating, comment: string) =>
    ({
      type: 'overtaken',
      decision: decision.id,
      attempt: decision.attempts,
      rating,
      comment,
      at: now(),
      ...(info.rating === 'NOTRATED' ? ({ isInferred: true } as const) : {}),
    }) as const;

  const comment = info.employerComment;
  if (info.rating === 'NOTREVIEWED' || (info.rating === 'NOTRATED' && isCorrectedElsewhere(info, task))) {
    // Already sent back and corrected: the decision was about the earlier proof and must not be applied to this one.
    const mayBeOurs = decision.verdict === 'REVISE' && mayBeApplied(decision);
    if (
      mayBeOurs &&
      (normalizeSpace(comment) === '' || normalizeSpace(comment) === normalizeSpace(decision.comment))
    )
      return applied;
    return overtaken(info.rating === 'NOTRATED' ? 'REVISE' : info.rating, comment);
  }
  if (info.rating === 'NOTRATED') return 'open';
  if (isSame(info, decision)) return applied;
  return overtaken(info.rating, comment);
}

/**
 * Returns whether the answer shows an earlier submission than the decided one, so that its rating is not about this one.
 */
function isOutdated(info: TaskInfo, { proof, detailed, before }: TaskWithDecision): boolean {
  if (!detailed) return false;
  const known = { submittedAt: proof.finishedAt, slots: proof.slots };
  const shown = { submittedAt: info.finishedAt?.getTime(), slots: info.proof };
  return submissionOrder(known, shown, before?.likely ? undefined : before?.slots) === 'earlier';
}

function outdatedAnswer(): TransportError {
  return new TransportError({
    operation: 'getTaskInfo',
    kind: 'unreadable',
    reason: 'an answer that is older than what is known',
    mayHaveBeenApplied: false,
  });
}

/** Returns whether a rating equals the decision in every field the marketplace reports. */
function isSame({ rating, employerComment, bonusWorkerEarned }: TaskInfo, decision: Decision): boolean {
  const [rated, decided] = [normalizeSpace(employerComment), normalizeSpace(decision.comment)];
  return (
    rating === decision.verdict && rated === decided && bonusWorkerEarned.eq(money(decision.bonus ?? '0'))
  );
}

/**
 * Returns whether the task's proof was replaced. The results CSV and get_task_info may format the same time differently,
 * so times are compared only when both come from the same source.
 */
function isCorrectedElsewhere(info: TaskInfo, { proof, detailed }: TaskWithDecision): boolean {
  const known = { submittedAt: proof.finishedAt, slots: proof.slots };
  return isResubmitted(known, { submittedAt: info.finishedAt?.getTime(), slots: info.proof }, detailed);
}
