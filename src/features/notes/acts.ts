import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Actor } from '../../slack/feature.ts';
import type { NoteOutcome } from '../../store/notes.ts';

type Author = Pick<Actor, 'member' | 'how'>;

/** A note's text, and the key that it is left under once, however often it is delivered. */
interface NewNote {
  readonly id: string;
  readonly text: string;
}

/** Creates the note actions; each re-renders the card. */
export function createNoteActs({ slack, tasks, clock }: Modules) {
  async function redraw(ref: AccountRef, id: TaskId): Promise<true> {
    const task = await tasks.get(ref, id);
    if (task !== undefined) await slack.cards.clicked(ref, task);
    return true;
  }

  return {
    async leave(
      { member: by, how }: Author,
      ref: AccountRef,
      id: TaskId,
      note: NewNote,
    ): Promise<NoteOutcome> {
      const outcome = await tasks.notes.leave(ref, id, { ...note, at: clock.now(), by, how });
      if (outcome === 'left' || outcome === 'same') await redraw(ref, id);
      return outcome;
    },

    /** Changes a note's text, unless it is gone, somebody else's, or unchanged. */
    async change({ member: by, how }: Author, ref: AccountRef, id: TaskId, note: NewNote): Promise<void> {
      if (await tasks.notes.change(ref, id, note.id, note.text, { by, how })) await redraw(ref, id);
    },

    /** Removes a note. Resolves false if it is already gone, or somebody else's. */
    async remove({ member: by, how }: Author, ref: AccountRef, id: TaskId, note: string): Promise<boolean> {
      return (await tasks.notes.remove(ref, id, note, { by, how })) && redraw(ref, id);
    },
  };
}
