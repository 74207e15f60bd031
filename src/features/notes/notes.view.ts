import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { maxNoteLength, maxNotes } from '../../domain/note.ts';
import { AccountId, type MemberId, TaskId } from '../../domain/terms.ts';
import { button, context, input, modal, section } from '../../slack/blocks.ts';
import { codec } from '../../slack/codec.ts';
import type { StoredNote } from '../../store/notes.ts';
import { noteActions, noteText } from '../../ui/task.view.ts';

export const notesForm = 'notes.add';

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
  readonly outcome?: string;
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
    callbackId: notesForm,
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
    accessory: button('Remove note', noteActions.remove, note.id),
  });
}

export const noteEmpty = 'Enter a note.';
export const noteLong = `A note can have ${maxNoteLength} characters at most.`;
export const notesFull = `This task has ${maxNotes} notes. Remove one of yours first.`;
export const notesGone = 'The details of this task are no longer stored, so it takes no notes.';
export const noteWasRemoved = 'Your note was removed.';
export const noteWasGone = 'That note was removed already.';
