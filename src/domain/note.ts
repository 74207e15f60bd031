import { z } from 'zod';
import { type NoteEvent, type Task, type TransitionResult, withVisibleChange } from './task.ts';
import { MemberId } from './terms.ts';

/** A **note**: a message to colleagues about a task. The worker never sees it. */
export const Note = z
  .object({
    by: MemberId,
    /** Milliseconds since 1970. */
    at: z.number(),
    text: z.string(),
  })
  .readonly();
export type Note = z.infer<typeof Note>;

/** Maximum number of notes per task, and characters per note. */
export const maxNotes = 20;
export const maxNoteLength = 500;

/** Only what begins with the word is a note; “notes are …” is talk. */
const noteShape = /^note(?=$|[\s:,])\s*[:,]?\s*([\s\S]*)$/i;
const saysSomething = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Returns the note in a reply, which begins with `note`; '' if it says nothing, undefined if the reply is talk. */
export function noteIn(reply: string): string | undefined {
  const text = noteShape.exec(reply.trim())?.[1];
  return text === undefined || saysSomething.test(text) ? text : '';
}

/**
 * Applies an event to a task's notes: the record has their ids, which bounds their number and makes repeats idempotent;
 * their texts are stored separately. Pure.
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
