import type { DecisionEvent } from '../../domain/transition.ts';
import type { MarketplaceClient, TaskInfo } from '../../marketplace/index.ts';
import type { Sending } from './send.ts';

/**
 * Finds out what became of a decision that was sent without a usable answer, from the marketplace itself.
 * Gives what happened, or `open` when the task is still to be rated, so that it can be sent (again).
 * Throws the client's errors when the marketplace cannot be asked.
 */
export async function readBack(
  marketplace: MarketplaceClient,
  task: Sending,
  now: () => number,
): Promise<DecisionEvent | 'open'> {
  const { decision } = task;
  const info = await marketplace.getTaskInfo(task.id);
  if (info.rating === 'NOTRATED') {
    // After a REVISE a quick worker may have corrected already: then it was applied, and this is the next round.
    const corrected = decision.verdict === 'REVISE' && isNewer(info, task);
    return corrected ? { type: 'applied', decision: decision.id, at: now() } : 'open';
  }
  if (info.rating === decision.verdict && info.employerComment.trim() === decision.comment.trim()) {
    return { type: 'applied', decision: decision.id, at: now() };
  }
  const { rating, employerComment: comment } = info;
  return { type: 'overtaken', decision: decision.id, rating, comment, at: now() };
}

function isNewer(info: TaskInfo, task: Sending): boolean {
  const { finishedAt } = task.proof;
  return finishedAt !== undefined && info.finishedAt !== undefined && info.finishedAt.getTime() > finishedAt;
}
