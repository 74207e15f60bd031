import { maxNotes } from '../../src/domain/note.ts';
import type { Decision, Task } from '../../src/domain/task.ts';
import { notesModal } from '../../src/features/notes/notes.view.ts';
import { threadAnswer } from '../../src/features/shared/thread-answer.view.ts';
import {
  changedBeforeRead,
  mentionNotSent,
  noteLeft,
  noteNotChanged,
  noteNotLeft,
  noteRemoved,
  questionNotSent,
  reasonMissingInReply,
  reasonTooLong,
} from '../../src/features/threads/threads.view.ts';
import { entriesOf } from '../entry.ts';
import { fullNotes, notes } from '../samples/notes.ts';
import { account, ann, ben } from '../samples/people.ts';
import { decision, task } from '../samples/tasks.ts';
import { longest, wordy } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const { id } = task();
const about = { account, task: id, round: 1 };
const reasons = ['Part of the proof is missing', 'The picture is blurry or dark', wordy(75)].map(
  (name, index) => ({ id: `r${index}`, name, text: name }),
);
const comment = 'The price labels cannot be read.';

/** Returns the answer to a reply whose decision is in a given state. */
const answer = (state: Decision['state'], fields: Partial<Decision> = {}) =>
  of(task({ decision: decision(state, { verdict: 'REVISE', comment, ...fields }) }));

function of(shown: Task | undefined) {
  return threadAnswer({ account, id, task: shown, answer: { decision: 'd1', by: ann, verdict: 'REVISE' } });
}

export const threads = [
  ...entriesOf('Threads', threadAnswer, {
    'Answer: it can be undone': () => answer('waiting'),
    'Answer: not sent yet': () =>
      answer('held', { problem: { text: 'The campaign is paused, so its tasks cannot be rated.' } }),
    'Answer: it is a rating': () => answer('applied'),
    'Answer: not accepted': () => answer('refused', { problem: { text: 'The reason is too short.' } }),
    'Answer: rated outside of Slack': () => answer('overtaken'),
    'Answer: undone by a colleague': () =>
      of(
        task({
          undone: ['d1'],
          undoneBy: { by: ben, of: ann, verdict: 'REVISE', at: minutesAgo(1) },
        }),
      ),
    'Answer: another round has begun': () => of(task({ round: 2 })),
    'Answer: as long as it comes': () => answer('held', { comment: longest(), problem: { text: longest() } }),
  }),
  ...entriesOf('Threads', reasonMissingInReply, {
    'No reason': () => reasonMissingInReply(about, { by: ann, verdict: 'REVISE', reasons }),
    'No reason, none saved': () => reasonMissingInReply(about, { by: ann, verdict: 'NOK', reasons: [] }),
  }),
  ...entriesOf('Threads', questionNotSent, {
    'A question': () => questionNotSent(about, { by: ann, verdict: 'NOK' }),
  }),
  ...entriesOf('Threads', mentionNotSent, { 'A mention in a reason': () => mentionNotSent(ann) }),
  ...entriesOf('Threads', reasonTooLong, { 'A reason too long': () => reasonTooLong(ann, 12_345, 3_000) }),
  ...entriesOf('Threads', changedBeforeRead, { 'Changed before it was read': () => changedBeforeRead(ann) }),
  ...entriesOf('Notes', noteLeft, { 'Note of a reply': () => noteLeft(about, ann, 'n1') }),
  ...entriesOf('Notes', noteRemoved, { 'Note of a reply, removed': () => noteRemoved(ann) }),
  ...entriesOf('Notes', noteNotChanged, {
    'A note that became too long': () => noteNotChanged(ben, 620),
  }),
  ...entriesOf('Notes', noteNotLeft, {
    'No note: empty': () => noteNotLeft(ann, 'empty'),
    'No note: too long': () => noteNotLeft(ann, 'long', 1_234),
    'No note: there are too many': () => noteNotLeft(ann, 'full'),
    'No note: details removed': () => noteNotLeft(ann, 'unknown'),
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
