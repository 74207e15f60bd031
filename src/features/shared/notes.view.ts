import type { KnownBlock } from '@slack/types';
import { maxNoteLength } from '../../domain/note.ts';
import { context, section } from '../../slack/blocks.ts';
import { date, inline, preformatted, user } from '../../slack/mrkdwn.ts';
import type { StoredNote } from '../../store/notes.ts';

/** Action ids of notes; views of other features also have the button that opens them. */
export const noteActions = { open: 'notes.open', remove: 'notes.remove' } as const;

/** Characters of the newest note shown on a card. */
const shownOnCard = 160;

/** Returns the card line for notes: the newest one, and their count. */
export function notesBlocks(notes: readonly StoredNote[]): KnownBlock[] {
  const [newest] = notes;
  if (newest === undefined) return [];
  const count = notes.length === 1 ? '' : ` · ${countOfNotes(notes)}`;
  return [context(`:memo: ${user(newest.by)}: ${inline(newest.text, shownOnCard)}${count}`)];
}

/** Returns how many notes there are, in words. */
export function countOfNotes(notes: readonly unknown[]): string {
  return notes.length === 1 ? '1 note' : `${notes.length} notes`;
}

/** Returns all notes on a task in full, newest first. */
export function wholeNotes(notes: readonly StoredNote[]): KnownBlock[] {
  return notes.map((note) => section(noteText(note)));
}

/** Returns a note in full, with its author and time. */
export function noteText({ by, at, text }: StoredNote): string {
  return `:memo: ${user(by)}, ${date(at)}${preformatted(text, maxNoteLength)}`;
}
