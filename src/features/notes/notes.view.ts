import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { maxNoteLength, maxNotes } from '../../domain/note.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, input, type Message, modal, notice, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import type { StoredNote } from '../../store/notes.ts';
import { noteText } from '../../ui/task.view.ts';

/** State of the modal. */
export const notesState = codec(
  'form',
  z.object({ account: AccountId, task: TaskId, added: z.number() }),
  'Open the notes again from the card.',
);

export interface NotesContent {
  readonly account: AccountId;
  readonly task: TaskId;
  /** Number of notes added in this modal. Slack keeps typed text while an input's name stays the same. */
  readonly added: number;
  /** Newest first. */
  readonly notes: readonly StoredNote[];
  /** The viewer; only their own notes can be removed. */
  readonly member: MemberId;
  /** Outcome of the last click, if it is to be shown. */
  readonly outcome?: string | undefined;
}

/** Returns the input's name, which changes after each note. */
export function inputName(added: number): string {
  return `note.${added}`;
}

/** Returns the modal with a task's notes, and the input for another one. */
export function notesModal(content: NotesContent): ModalView {
  const { account, task, added, notes, member, outcome } = content;
  const isFull = notes.length >= maxNotes;
  return modal({
    callbackId: 'notes.add',
    title: 'Notes on this task',
    close: 'Close',
    state: notesState.encode({ account, task, added }),
    ...(isFull ? {} : { submit: 'Add note' }),
    blocks: [
      ...(outcome === undefined ? [] : [context(outcome)]),
      ...(isFull
        ? [section(`This task has ${maxNotes} notes. To add one, remove another.`)]
        : [noteInput(added)]),
      ...notes.map((note) => noteBlock(note, member)),
      ...(notes.length === 0 ? [context('There are no notes yet.')] : []),
    ],
  });
}

function noteInput(added: number): KnownBlock {
  return input(
    inputName(added),
    'Note for your colleagues',
    { type: 'plain_text_input', multiline: true, max_length: maxNoteLength, focus_on_load: false },
    { hint: `The worker never sees it. Up to ${maxNoteLength} characters.` },
  );
}

function noteBlock(note: StoredNote, member: MemberId): KnownBlock {
  if (note.by !== member) return section(noteText(note));
  return section(noteText(note), {
    accessory: button('Remove note', 'notes.remove', note.id),
  });
}

/** Why a note is not saved. */
export const noteProblems = {
  empty: 'A note needs some text.',
  long: `A note can have ${maxNoteLength} characters at most. Shorten it.`,
  full: `This task has ${maxNotes} notes. Remove one of yours first.`,
  unknown: 'The details of this task are no longer stored, so it takes no notes.',
};
export const noteWasRemoved = 'Your note was removed.';

export const noteGone = 'This note was removed already.';

/** A reply was left as a note. */
export const noteLeft = notice(
  ':memo: Your note is on the card. The worker does not see it. Edit or delete your reply to change or remove it.',
);

/** Returns that a reply does not become a note, or the note does not become what the reply says now, and why. */
export function noteNotSaved(problem: string): Message {
  return notice(`That text wasn’t saved as your note. ${problem}`);
}
