import { maxNotes } from '../../src/domain/note.ts';
import { noteLeft, noteNotSaved, noteProblems, notesModal } from '../../src/features/notes/notes.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';
import { fullNotes, notes } from '../samples/notes.ts';
import { account, ann, ben } from '../samples/people.ts';
import { task } from '../samples/tasks.ts';

const { id } = task();

export const noteEntries = [
  ...entriesOf('Notes', notice, { 'Note of a reply': () => noteLeft }),
  ...entriesOf('Notes', noteNotSaved, {
    'No note: too long': () => noteNotSaved(noteProblems.long),
    'No note: details removed': () => noteNotSaved(noteProblems.unknown),
  }),
  ...entriesOf('Notes', notesModal, {
    Notes: () => notesModal({ account, task: id, added: 1, notes, member: ann }),
    'Notes: none yet': () => notesModal({ account, task: id, added: 0, notes: [], member: ann }),
    'Notes: one was removed': () =>
      notesModal({ account, task: id, added: 1, notes, member: ben, outcome: 'Your note was removed.' }),
    [`Notes: ${maxNotes}, as long as they come`]: () =>
      notesModal({ account, task: id, added: 0, notes: fullNotes, member: ann }),
  }),
];
