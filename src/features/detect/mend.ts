import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { cardJobKey } from '../../jobs/catalogue.ts';
import type { DetectDeps } from './deps.ts';

/** A decision is looked after when its time came so long ago (ms): by then its own job would have. */
const overdueMs = 2_000;

/** Work that a lost job left undone is asked for again. */
export function createMend(deps: DetectDeps) {
  const { tasks, jobs, now } = deps;

  return {
    /**
     * Asks again for what is left undone.
     * @param mayPost whether new cards are to be posted: somebody gets them, and none stands unknown
     */
    async mend(ref: AccountRef, mayPost: boolean): Promise<void> {
      const before = now() - deps.timeouts.requeueAfterMs;
      const stale = await tasks.getMany(ref, await tasks.find(ref, 'stale', { until: before }));
      const givenUp = new Set(
        (await jobs.deadLetters(ref)).map(({ payload }) => payload.task ?? payload.message),
      );
      const open = stale.filter(({ id }) => !givenUp.has(id));
      const payload = ({ id }: Pick<Task, 'id'>) => ({ ...ref, task: id });
      if (mayPost) {
        const wanted = open.filter(({ card }) => card.state === 'wanted');
        await jobs.addAll('post', wanted.map(payload), cardJobKey);
        await deps.inbox.mend(ref, before, givenUp);
        for (const channel of await deps.backlogSummaries.find(ref, 'stale', { until: before })) {
          await jobs.add('summarize', { ...ref, channel }, { once: `${ref.account} ${channel}` });
        }
      }
      const shown = open.filter(({ card }) => card.state !== 'wanted');
      await jobs.addAll('redraw', shown.map(payload), cardJobKey);
      const due = await tasks.lowest(ref, 'due');
      if (due !== undefined && due < now() - overdueMs)
        await jobs.add('send', ref, { once: `${ref.account} mend` });
    },

    /** Whether anything may have to be mended later: a task that can be decided, a decision, a card out of date. */
    async isAnythingLeft(ref: AccountRef): Promise<boolean> {
      if ((await tasks.count(ref, 'open')) > 0 || (await tasks.count(ref, 'due')) > 0) return true;
      return (await tasks.find(ref, 'stale', { limit: 1 })).length > 0;
    },
  };
}
