import { isActive } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/** Batch size for loading records. */
const recordsAtOnce = 200;

/**
 * Creates the redrawing of cards after Redis was restarted, failed over or restored: a card may show a decision that is
 * lost, and an import may be recorded although the tasks it stored are lost. Cards that somebody clicked come first.
 */
export function createRedraw({ campaigns, jobs, tasks }: Modules) {
  return async (ref: AccountRef): Promise<void> => {
    const run = await jobs.redisRuns.newRun(ref);
    if (run === undefined) return;
    const [open, due] = await Promise.all([
      tasks.find(ref, 'open', { limit: 1_000_000 }),
      tasks.find(ref, 'due', { limit: 1_000_000 }),
    ]);
    for (const ids of chunksOf([...new Set([...open, ...due])], recordsAtOnce)) {
      const posted = (await tasks.getMany(ref, ids)).filter(({ card }) => card.state === 'posted');
      await tasks.markNeedsRender(
        ref,
        posted.map(({ id }) => id),
      );
    }
    await campaigns.requestImports(
      ref,
      (await campaigns.all(ref)).filter(isActive).map(({ id }) => id),
    );
    await jobs.redisRuns.record(ref, run);
  };
}
