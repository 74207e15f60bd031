import { formerOf, isSame, type MessageRef } from '../../domain/live-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';
import { retireFormer } from '../shared/former-places.ts';

/**
 * Creates what happens to a clicked card that its task's record does not know: its post could not be recorded, or Redis has
 * lost that.
 */
export function createFoundCards({ jobs, tasks }: Pick<FeatureContext, 'jobs' | 'tasks'>) {
  return {
    /**
     * Makes a clicked card the task's card if it has none; otherwise it is rewritten to say where the task continues.
     * Returns the current task.
     */
    async clicked(ref: AccountRef, task: Task, messageRef: MessageRef, round: number): Promise<Task> {
      const { card } = task;
      const isCurrent = card.state === 'posted' && isSame(card, messageRef);
      // A former card can still be clicked where the bot was removed, but is no longer updated.
      if (isCurrent || formerOf(card).some((place) => isSame(place, messageRef))) return task;
      const found = await tasks.apply(ref, task.id, { type: 'posted', messageRef, round });
      if (found.kind !== 'done') return task;
      // What it shows is not known.
      await tasks.markNeedsRender(ref, [task.id]);
      await retireFormer({ jobs }, ref, formerOf(found.task.card));
      return found.task;
    },
  };
}
