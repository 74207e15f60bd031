import { chunksOf, groupBy } from '../../domain/collections.ts';
import { isResubmitted, submissionOrder } from '../../domain/confirmed-transition.ts';
import { normalizeSpace } from '../../domain/evidence/texts.ts';
import { money } from '../../domain/money.ts';
import { type Decision, type DecisionEvent, mayBeApplied } from '../../domain/task.ts';
import type { AccountRef, CampaignId, Rating, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { MarketplaceClient } from '../../marketplace/client.ts';
import { TransportError } from '../../marketplace/errors.ts';
import type { TaskInfo } from '../../marketplace/types.ts';
import { dueAtOf, hasDecision, type SendOutcome, type TaskWithDecision } from './send-outcome.ts';

/** Number of decisions read back before those still open are sent. */
const readBackAtOnce = 20;

/**
 * Creates the read-back of decisions with unknown outcome: finds out whether they became ratings, and sends those that
 * did not.
 * @param sendOpen sends decisions of a campaign that are certainly not ratings yet
 */
export function createReadBack(
  { marketplace, clock, tasks, jobs }: Modules,
  outcomes: SendOutcome,
  sendOpen: (ref: AccountRef, campaign: CampaignId, open: readonly TaskWithDecision[]) => Promise<void>,
) {
  /** Reads back one decision if its outcome is still unknown. Returns it if it must be sent (again). */
  async function readBack(ref: AccountRef, id: TaskId): Promise<TaskWithDecision | undefined> {
    // Reading many takes a while, in which another process may have handled this one.
    const task = await tasks.get(ref, id);
    if (task === undefined || !hasDecision(task) || !isUnknown(task, clock.now())) return undefined;
    try {
      const event = await reconcileDecision(await marketplace.of(ref), task, clock.now);
      if (event === 'open') return task;
      await outcomes.record(ref, task, event);
    } catch (error) {
      await outcomes.unread(ref, task, error);
    }
    return undefined;
  }

  /** Reads back decisions and sends those still open. */
  async function readBackAndSend(
    ref: AccountRef,
    campaign: CampaignId,
    unknown: readonly TaskWithDecision[],
  ): Promise<void> {
    const open: (TaskWithDecision | undefined)[] = [];
    // The first is read alone, since it may be the probe of a marketplace that has been down.
    for (const some of [unknown.slice(0, 1), unknown.slice(1)])
      open.push(...(await Promise.all(some.map(({ id }) => readBack(ref, id)))));
    await sendOpen(
      ref,
      campaign,
      open.filter((task) => task !== undefined),
    );
  }

  /**
   * Settles decisions with unknown outcome, in one job at a time: several would ask the marketplace for the same tasks,
   * and waste the limited number of calls on repeated reads.
   */
  async function settleUnknown(
    ref: AccountRef,
    unknown: readonly TaskWithDecision[],
    onFailure: (error: Error) => void,
  ): Promise<void> {
    if (unknown.length === 0) return;
    const lease = await jobs.leases.acquire(ref, 'read-back', jobs.timeouts.leaseMs);
    if (lease === undefined) return;
    try {
      for (const [campaign, all] of groupBy(unknown, (task) => task.campaign)) {
        // After a failover there may be hundreds; each batch is sent before the next is read.
        for (const some of chunksOf(all, readBackAtOnce))
          await readBackAndSend(ref, campaign, some).catch(onFailure);
      }
    } finally {
      await lease.release();
    }
  }

  return { settleUnknown };
}

/** Returns whether a decision was sent and no process is waiting for its answer any more. */
function isUnknown({ decision }: TaskWithDecision, at: number): boolean {
  return decision.state === 'sending' && dueAtOf(decision) <= at;
}

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
  if (isOutdated(info, task))
    throw new TransportError({
      operation: 'getTaskInfo',
      kind: 'unreadable',
      reason: 'an answer that is older than what is known',
      mayHaveBeenApplied: false,
    });
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
    const isOurs = ['', normalizeSpace(decision.comment)].includes(normalizeSpace(comment));
    if (decision.verdict === 'REVISE' && mayBeApplied(decision) && isOurs) return applied;
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
