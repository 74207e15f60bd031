import { money } from '../../src/domain/money.ts';
import {
  cannotUndo,
  extrasModal,
  notSafeYet,
  oldRound,
  reasonModal,
  tooLate,
  undoNotKnownYet,
  undoNotSafeYet,
  undoneByColleague,
  unknownTask,
  withOwnText,
} from '../../src/features/decide/decide.view.ts';
import { entriesOf } from '../entry.ts';
import { chosenComment, fullComment, intent, noComment, typedAgain } from '../samples/comments.ts';
import { ann, ben } from '../samples/people.ts';
import { decision, largestTask, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';

const title = 'Photograph a shelf in your supermarket';

export const decide = [
  ...entriesOf('Decisions', reasonModal, {
    'Reason of a NOK': () => reasonModal(intent('NOK'), task(), title, noComment),
    'Reason of a REVISE': () => reasonModal(intent('REVISE'), task(), title, noComment),
    'Reason: a saved one was chosen': () => reasonModal(intent('REVISE'), task(), title, chosenComment),
    'Reason: what was typed before, hostile': () => reasonModal(intent('NOK'), task(), title, typedAgain),
    'Reason: hostile title and names': () =>
      reasonModal(
        intent('NOK'),
        { ...task(), worker: { ...task().worker, name: hostile } },
        hostile,
        noComment,
      ),
    'Reason: everything as long as it comes': () =>
      reasonModal(intent('NOK'), largestTask, longest(), fullComment),
  }),
  ...entriesOf('Decisions', undoneByColleague, {
    'A colleague undid your decision': () =>
      undoneByColleague({ by: ben, verdict: 'NOK', title: hostile, card: undefined }),
  }),
  ...entriesOf('Decisions', extrasModal, {
    'OK with extras': () =>
      extrasModal(intent('OK'), task(), title, {
        payment: money('0.45'),
        comment: { ...noComment, reasons: [] },
      }),
    'OK with extras: what the bonus adds up to': () =>
      extrasModal(intent('OK'), task(), title, {
        payment: money('0.45'),
        comment: { ...chosenComment, text: hostile },
        filled: { bonus: '0.3', favorite: 'add', total: '0.3' },
      }),
    'OK with extras, payment not known': () =>
      extrasModal(intent('OK'), task(), title, { payment: undefined, comment: noComment }),
  }),
  ...entriesOf('Decisions', tooLate, {
    'Too late: a colleague was first': () => tooLate(task({ decision: decision('waiting') }), ben, 'NOK'),
    'Too late: you were first': () => tooLate(task({ decision: decision('applied') }), ann, 'NOK'),
    'Too late: rated outside of Slack': () => tooLate(task({ rating: 'OK' }), ann, 'REVISE'),
    'Too early: in review by the marketplace': () => tooLate(task({ rating: 'NOTREVIEWED' }), ann, 'OK'),
  }),
  ...entriesOf('Decisions', withOwnText, {
    'Too late: your own text': () =>
      withOwnText(tooLate(task({ decision: decision('waiting') }), ben, 'NOK'), hostile),
    'Too late: the longest text': () =>
      withOwnText(tooLate(task({ decision: decision('waiting') }), ben, 'NOK'), longest()),
  }),
  ...entriesOf('Decisions', oldRound, {
    'Card of an earlier round': () =>
      oldRound('<https://sandbox.slack.com/archives/C01REVIEW/p1|its newer card>'),
    'Card of an earlier round, newer one not known': () => oldRound(undefined),
  }),
  ...entriesOf('Decisions', cannotUndo, {
    'Undo: being sent': () => cannotUndo(task({ decision: decision('sending') })),
    'Undo: nothing to undo': () => cannotUndo(task()),
    'Undo: rated already': () => cannotUndo(task({ rating: 'OK', decision: decision('applied') })),
  }),
  ...entriesOf('Decisions', notSafeYet, {
    'OK on one server only': () => notSafeYet(task(), { verdict: 'OK', comment: '' }),
    'NOK on one server only: hostile comment': () => notSafeYet(task(), { verdict: 'NOK', comment: hostile }),
    'REVISE on one server only: longest comment': () =>
      notSafeYet(largestTask, { verdict: 'REVISE', comment: longest() }),
  }),
  ...entriesOf('Decisions', undoNotKnownYet, { 'Undone while data are checked': () => undoNotKnownYet() }),
  ...entriesOf('Decisions', undoNotSafeYet, { 'Undone on one server only': () => undoNotSafeYet() }),
  ...entriesOf('Decisions', unknownTask, { 'The task is gone': () => unknownTask() }),
];
