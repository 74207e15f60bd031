import { filledSlots, type Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { type MarketplaceClient, MarketplaceError } from '../../marketplace/index.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Intent } from './intent.ts';

/** Rebuilds a task's record. Resolves to undefined if the marketplace does not know the task either. */
export type Recovery = (ref: AccountRef, intent: Intent) => Promise<Task | undefined>;

/**
 * Creates the recovery of unknown tasks, for example after Redis was restored from an older copy. The card identifies
 * its task, so the record is rebuilt from the marketplace, with the clicked card as its card.
 */
export function createRecovery(deps: {
  tasks: Tasks;
  marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  now: () => number;
}): Recovery {
  return async (ref, { task: id, round, channel, ts }) => {
    const readAt = deps.now();
    const marketplace = await deps.marketplaceOf(ref);
    const info = await marketplace.getTaskInfo(id, { deadlineMs: 2_500 }).catch((error: unknown) => {
      if (error instanceof MarketplaceError && !error.isAuthentication) return undefined;
      throw error;
    });
    if (info === undefined) return undefined;
    const worker = { id: info.workerId, country: info.country, ip: info.ip };
    const proof = {
      ...filledSlots(info.proof),
      files: info.files,
      ...(info.finishedAt ? { finishedAt: info.finishedAt.getTime() } : {}),
    };
    await deps.tasks.apply(ref, id, {
      type: 'seen',
      readAt,
      id,
      campaign: info.campaignId,
      rating: info.rating,
      comment: info.employerComment,
      worker,
      csvRow: info.csvRecordNr,
      proof,
      // Record and card are stored in one write, so that a crash cannot lead to a second card.
      want: channel && ts ? { channel, ts, round } : 'card',
    });
    const { task } = await deps.tasks.apply(ref, id, {
      type: 'detailed',
      round: channel && ts ? round : 1,
      worker,
      proof,
    });
    return task;
  };
}
