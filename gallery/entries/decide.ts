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
} from '../../src/features/decide/decide.view.ts';
import type { Intent } from '../../src/features/decide/intent.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben } from '../samples/people.ts';
import { decision, largestTask, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';

const intent = (verdict: Intent['verdict']): Intent => ({
  kind: 'decide',
  account,
  task: asId('5e1d77a0c3'),
  round: 1,
  verdict,
});
const title = 'Photograph a shelf in your supermarket';

export const decide = [
  ...entriesOf('Decisions', reasonModal, {
    'Reason of a NOK': () => reasonModal(intent('NOK'), task(), title),
    'Reason of a REVISE': () => reasonModal(intent('REVISE'), task(), title),
    'Reason: hostile title and names': () =>
      reasonModal(intent('NOK'), { ...task(), worker: { ...task().worker, name: hostile } }, hostile),
    'Reason: everything as long as it comes': () => reasonModal(intent('NOK'), largestTask, longest()),
  }),
  ...entriesOf('Decisions', undoneByColleague, {
    'A colleague undid your decision': () =>
      undoneByColleague({ by: ben, verdict: 'NOK', title: hostile, card: undefined }),
  }),
  ...entriesOf('Decisions', extrasModal, {
    'OK with extras': () => extrasModal(intent('OK'), task(), title, money('0.45')),
    'OK with extras, payment not known': () => extrasModal(intent('OK'), task(), title, undefined),
  }),
  ...entriesOf('Decisions', tooLate, {
    'Too late: a colleague was first': () => tooLate(task({ decision: decision('waiting') }), ben, 'NOK'),
    'Too late: you were first': () => tooLate(task({ decision: decision('applied') }), ann, 'NOK'),
    'Too late: rated outside of Slack': () => tooLate(task({ rating: 'OK' }), ann, 'REVISE'),
    'Too early: in review by the marketplace': () => tooLate(task({ rating: 'NOTREVIEWED' }), ann, 'OK'),
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
