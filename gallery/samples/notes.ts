import { maxNoteLength, maxNotes } from '../../src/domain/note.ts';
import type { StoredNote } from '../../src/store/notes.ts';
import { ann, ben } from './people.ts';
import { hostile, longest } from './texts.ts';
import { minutesAgo } from './times.ts';

/** Notes on a task, newest first. */
export const notes: readonly StoredNote[] = [
  {
    id: 'n2',
    by: ben,
    at: minutesAgo(3),
    text: 'The same shelf was on a card yesterday.\nSee the thread there.',
  },
  { id: 'n1', by: ann, at: minutesAgo(60), text: 'I asked the shop for its opening hours.' },
];

/** The maximum number of notes, each at the maximum length. */
export const fullNotes: readonly StoredNote[] = Array.from({ length: maxNotes }, (_, index) => ({
  id: `n${index}`,
  by: index % 2 === 0 ? ann : ben,
  at: minutesAgo(index),
  text: (index % 2 === 0 ? hostile : longest()).slice(0, maxNoteLength),
}));
