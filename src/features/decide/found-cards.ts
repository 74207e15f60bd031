import { formerOf, isSame, type MessageRef } from '../../domain/live-message.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { retireFormer } from '../../kit/channels.ts';
import type { Modules } from '../../kit/modules.ts';

/**
 * Creates what happens to a clicked card that its task's record does not know: its post could not be recorded, or Redis has
 * lost that.
 */
export function createFoundCards(modules: Modules) {
  const { tasks } = modules;
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
      await retireFormer(modules, ref, formerOf(found.task.card));
      return found.task;
    },
  };
}
