import { z } from 'zod';
import type { NoteEvent, TransitionResult } from './events.ts';
import { withVisibleChange } from './events.ts';
import type { Task } from './task.ts';
import { MemberId } from './terms.ts';

/** A **note**: what somebody tells their colleagues about a task. The worker never sees it. */
export const Note = z
  .object({
    by: MemberId,
    /** Milliseconds since 1970. */
    at: z.number(),
    text: z.string(),
  })
  .readonly();
export type Note = z.infer<typeof Note>;

/** How many notes a task has at the most, and how many characters each takes. */
export const maxNotes = 20;
export const maxNoteLength = 500;

/**
 * Applies what happens to the notes of a task: the record has their ids, so that their number is bounded and one that is
 * left twice is left once; their texts are stored beside it. Pure.
 */
export function transitionNotes(task: Task, event: NoteEvent): TransitionResult {
  const { notes = [], ...rest } = task;
  const isKnown = notes.includes(event.note);
  switch (event.type) {
    case 'note-left':
      if (isKnown) return { kind: 'same', task };
      // Nothing would remove it again.
      if (task.detailsRemovedAt !== undefined || notes.length >= maxNotes) return { kind: 'rejected', task };
      return withVisibleChange(task, { notes: [...notes, event.note] });
    case 'note-changed':
      return isKnown ? withVisibleChange(task, {}) : { kind: 'same', task };
    case 'note-removed': {
      if (!isKnown) return { kind: 'same', task };
      const left = notes.filter((note) => note !== event.note);
      return withVisibleChange(rest, left.length === 0 ? {} : { notes: left });
    }
  }
}
