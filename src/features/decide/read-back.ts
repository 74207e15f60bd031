import { chunksOf, groupBy } from '../../domain/collections.ts';
import type { AccountRef, CampaignId, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { reconcileDecision } from './reconcile.ts';
import { hasDecision, type SendOutcome, type TaskWithDecision } from './send-outcome.ts';

/** Number of decisions read back before those still open are sent. */
const readBackAtOnce = 20;

export type ReadBackParts = Modules & {
  readonly outcomes: SendOutcome;
  /** Sends decisions of a campaign that are certainly not ratings yet. */
  readonly sendOpen: (
    ref: AccountRef,
    campaign: CampaignId,
    open: readonly TaskWithDecision[],
  ) => Promise<void>;
};

/**
 * Creates the read-back of decisions with unknown outcome: finds out whether they became ratings, and sends those that
 * did not.
 */
export function createReadBack(parts: ReadBackParts) {
  const { marketplace, clock, tasks, jobs, outcomes, sendOpen } = parts;

  /** Reads back the outcome of a decision. Returns true if it must be sent (again). */
  async function isStillOpen(ref: AccountRef, task: TaskWithDecision): Promise<boolean> {
    try {
      const event = await reconcileDecision(await marketplace.of(ref), task, clock.now);
      if (event === 'open') return true;
      await outcomes.record(ref, task, event);
    } catch (error) {
      await outcomes.recordUnread(ref, task, error);
    }
    return false;
  }

  /** Reads back one decision if its outcome is still unknown. Returns it if it must be sent (again). */
  async function readBack(ref: AccountRef, id: TaskId): Promise<TaskWithDecision | undefined> {
    // Reading many takes a while, in which another process may have handled this one.
    const task = await tasks.get(ref, id);
    if (task === undefined || !hasDecision(task) || !isUnknown(task, clock.now())) return undefined;
    return (await isStillOpen(ref, task)) ? task : undefined;
  }

  /** Reads back decisions and sends those still open. A failure affects only some decisions, and is reported. */
  async function readBackAndSend(
    ref: AccountRef,
    campaign: CampaignId,
    [first, ...rest]: readonly TaskWithDecision[],
    onFailure: (error: Error) => void,
  ): Promise<void> {
    if (first === undefined) return;
    // Read alone, since it may be the probe of a marketplace that has been down.
    const open = [await readBack(ref, first.id)];
    const reads = await Promise.allSettled(rest.map(({ id }) => readBack(ref, id)));
    for (const read of reads) {
      if (read.status === 'fulfilled') open.push(read.value);
      else onFailure(read.reason as Error);
    }
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
          await readBackAndSend(ref, campaign, some, onFailure).catch(onFailure);
      }
    } finally {
      await lease.release();
    }
  }

  return { settleUnknown };
}

/** Returns whether a decision was sent and no process is waiting for its answer any more. */
function isUnknown({ decision }: TaskWithDecision, at: number): boolean {
  return decision.state === 'sending' && (decision.dueAt ?? 0) <= at;
}
