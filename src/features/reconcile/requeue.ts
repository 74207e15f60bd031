import { isActive } from '../../domain/campaign.ts';
import { chunksOf } from '../../domain/collections.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Shows } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';

/** A decision counts as overdue this long after its due time (ms): its own job would have sent it by then. */
const overdueMs = 2_000;

/** Creates the requeuing of work left unfinished by lost jobs. */
export function createRequeue({
  slack,
  jobs,
  clock,
  tasks,
  shows,
}: Modules & {
  /** The live messages. */
  readonly shows: Shows;
}) {
  return {
    /**
     * Queues jobs for messages that have been out of date for a while, and for overdue decisions.
     * @param mayPost whether new messages may be posted: a channel is subscribed, and every card has a record
     */
    async requeueUnfinished(ref: AccountRef, mayPost: boolean): Promise<void> {
      const before = clock.now() - jobs.timeouts.requeueAfterMs;
      // Requested together, in one round trip.
      const [stale, outdated, due] = await Promise.all([
        tasks.find(ref, 'needs-render', { until: before }),
        shows.outdated(ref, before, mayPost),
        tasks.lowest(ref, 'due'),
      ]);
      const letters = stale.length + outdated.length > 0 ? await jobs.deadLetters(ref) : [];
      const dead = new Set(letters.map(({ payload: { task, kind, id } }) => task ?? `${kind} ${id}`));
      const cards = await tasks.getMany(
        ref,
        stale.filter((id) => !dead.has(id)),
      );
      await slack.cards.changed(
        ref,
        cards.filter(({ card }) => mayPost || card.state === 'posted'),
      );
      await shows.requeue(
        ref,
        outdated.filter(({ kind, id }) => !dead.has(`${kind} ${id}`)),
      );
      if (due !== undefined && due < clock.now() - overdueMs)
        await jobs.add('send', ref, { uniqueKey: `${ref.account} mend` });
    },

    /** Returns whether work is left: a task to decide on, a decision to send, or an outdated card. */
    async isAnythingUnfinished(ref: AccountRef): Promise<boolean> {
      if ((await tasks.count(ref, 'open')) > 0 || (await tasks.count(ref, 'due')) > 0) return true;
      return (await tasks.find(ref, 'needs-render', { limit: 1 })).length > 0;
    },
  };
}

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
