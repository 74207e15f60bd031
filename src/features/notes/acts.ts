import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Actor } from '../../slack/feature.ts';
import type { NoteOutcome } from '../../store/notes.ts';

/** Creates the note actions; each re-renders the card. */
export function createNoteActs({ slack, tasks, clock }: Modules) {
  async function redraw(ref: AccountRef, id: TaskId): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task !== undefined) await slack.cards.clicked(ref, task);
  }

  return {
    /** Leaves a note. @param id idempotency key of the note */
    async leave(
      { member: by, how }: Pick<Actor, 'member' | 'how'>,
      ref: AccountRef,
      task: TaskId,
      { id, text }: { readonly id: string; readonly text: string },
    ): Promise<NoteOutcome> {
      const outcome = await tasks.notes.leave(ref, task, { id, text, at: clock.now(), by, how });
      if (outcome === 'left' || outcome === 'same') await redraw(ref, task);
      return outcome;
    },

    /** Changes a note's text. Resolves false if it is gone, somebody else's, or unchanged. */
    async change(
      { member: by, how }: Pick<Actor, 'member' | 'how'>,
      ref: AccountRef,
      task: TaskId,
      { id, text }: { readonly id: string; readonly text: string },
    ): Promise<boolean> {
      const isChanged = await tasks.notes.change(ref, task, id, text, { by, how });
      if (isChanged) await redraw(ref, task);
      return isChanged;
    },

    /** Removes a note. Resolves false if it is already gone, or somebody else's. */
    async remove(
      { member: by, how }: Pick<Actor, 'member' | 'how'>,
      ref: AccountRef,
      task: TaskId,
      id: string,
    ): Promise<boolean> {
      const isRemoved = await tasks.notes.remove(ref, task, id, { by, how });
      if (isRemoved) await redraw(ref, task);
      return isRemoved;
    },
  };
}
