import { money } from '../../src/domain/money.ts';
import type { Task } from '../../src/domain/task.ts';
import {
  answerOf,
  bonusDecided,
  bonusProblem,
  decidedMeanwhile,
  extrasModal,
  reasonModal,
  undoAnswer,
} from '../../src/features/decide/decide.view.ts';
import { type Message, notice } from '../../src/slack/blocks.ts';
import { oldRound, tooLate, withOwnText } from '../../src/ui/task.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { chosenComment, fullComment, intent, noComment, offered, typedAgain } from '../samples/comments.ts';
import { account, ann, ben } from '../samples/people.ts';
import { askedPerSlot, decision, largestTask, sixPictures, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { now } from '../samples/times.ts';

const title = 'Photograph a shelf in your supermarket';

const lost = (fields: Partial<Task> = {}) => ({
  task: task(fields),
  title,
  card: 'https://sandbox.slack.com/archives/C01REVIEW/p1',
});
const cost = { amount: money('0.3'), shown: { cost: '', at: now } };
const had = {
  kind: 'decided' as const,
  ref: { workspace: asId<never>('T1'), account },
  task: task(),
  decision: { ...decision('waiting'), dueAt: now + 9_000 },
};
const assignment = { to: ann, by: ben, at: now };
const missed = { kind: 'missed', member: ben, wanted: 'NOK', round: 1 } as const;
const greeted = (text: string, id: string) => ({
  id,
  name: id,
  text: `Thank you. ${text}\n\nAgain, please.`,
});

/** What somebody is told, in cases in which they are told something. */
const said = (message: Message | undefined) => message ?? notice('');

export const decide = [
  ...entriesOf('Decisions', reasonModal, {
    'Reason of a NOK': () => reasonModal(intent('NOK'), task(), title, noComment),
    'Reason of a REVISE': () => reasonModal(intent('REVISE'), task(), title, noComment),
    'Reason: with the pictures': () => reasonModal(intent('NOK'), sixPictures, title, noComment),
    'Reason: a colleague looks at the task': () =>
      reasonModal(intent('NOK'), task(), title, { ...noComment, others: { assignment, looking: ben } }),
    'Reason: below what was asked for': () =>
      reasonModal(intent('NOK'), task(), title, { ...noComment, asked: askedPerSlot }),
    'Reason: six saved ones, of which one was chosen': () =>
      reasonModal(intent('NOK'), task(), title, { ...noComment, reasons: offered(6), chosen: 'r4' }),
    'Reason: seven saved ones': () =>
      reasonModal(intent('NOK'), task(), title, { ...noComment, reasons: offered(7) }),
    'Reason: saved ones, of which two begin alike': () =>
      reasonModal(intent('REVISE'), task(), title, {
        ...noComment,
        reasons: [greeted('It is dark.', 'dark'), greeted('It is small.', 'small'), ...offered(1)],
      }),
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
        filled: { bonus: '0.3', favorite: 'add', ...cost },
      }),
    'OK with extras: below what was asked for, of a task that a colleague looks at': () =>
      extrasModal(intent('OK'), sixPictures, title, {
        payment: money('0.45'),
        asked: askedPerSlot,
        comment: noComment,
        others: { looking: ben },
      }),
    'OK with extras, payment not known': () =>
      extrasModal(intent('OK'), task(), title, {
        payment: undefined,
        comment: noComment,
        filled: { bonus: '0.3', favorite: 'none', ...cost },
      }),
  }),
  ...entriesOf('Decisions', tooLate, {
    'Too late: a colleague was first': () => tooLate(lost({ decision: decision('waiting') }), ben, 'NOK'),
    'Too late: you were first': () => tooLate(lost({ decision: decision('applied') }), ann, 'NOK'),
    'Too late: you can still undo': () => tooLate(lost({ decision: decision('held') }), ann, 'NOK'),
    'Too late: submitted again': () =>
      tooLate(lost({ rating: 'REVISE', isRatingInferred: true }), ann, 'NOK'),
    'Too late: rated outside of Slack': () => tooLate(lost({ rating: 'OK' }), ann, 'REVISE'),
    'Too early: in review by the marketplace': () => tooLate(lost({ rating: 'NOTREVIEWED' }), ann, 'OK'),
  }),
  ...entriesOf('Decisions', withOwnText, {
    'Too late: your own text': () =>
      withOwnText(tooLate(lost({ decision: decision('waiting') }), ben, 'NOK'), hostile),
    'Too late: the longest text': () =>
      withOwnText(tooLate(lost({ decision: decision('waiting') }), ben, 'NOK'), longest()),
  }),
  ...entriesOf('Decisions', oldRound, {
    'Card of an earlier round': () => oldRound(lost()),
    'Card of an earlier round, newer one not known': () => oldRound({ task: task(), title: hostile }),
  }),
  ...entriesOf('Decisions', answerOf, {
    'Rated: a colleague has taken it': () =>
      said(answerOf({ ...had, others: { title, assignment: { to: ben, by: ben, at: now } } })),
    'Rated: assigned to a group, and looked at': () =>
      said(answerOf({ ...had, others: { title: hostile, assignment, looking: ben } })),
    'Rated: looked at in a review, sent at once': () =>
      said(answerOf({ ...had, decision: decision('applied'), others: { title, looking: ben } })),
    'Too late: the task is gone, your own text': () => said(answerOf({ ...missed, text: hostile })),
    'Too late: of this round': () => said(answerOf({ ...missed, lost: lost({ rating: 'OK' }), text: 'Why' })),
    'Too late: of an earlier round': () => said(answerOf({ ...missed, lost: lost({ round: 2 }) })),
  }),
  ...entriesOf('Decisions', notice, {
    'Bonus: paid': () => notice(bonusDecided(money('0.3'))),
    'Bonus: out of range': () => notice(bonusProblem(money('0.45'))),
    'Bonus: a colleague was first': () => notice(decidedMeanwhile(task({ decision: decision('waiting') }))),
    'Bonus: rated outside of Slack': () =>
      notice(decidedMeanwhile(task({ decision: decision('overtaken') }))),
    'Bonus: corrected': () => notice(decidedMeanwhile(task())),
  }),
  ...entriesOf('Decisions', undoAnswer, {
    'Undo: being sent': () =>
      said(undoAnswer({ kind: 'too late', task: task({ decision: decision('sending') }) })),
    'Undo: the task is gone': () => said(undoAnswer({ kind: 'gone' })),
    'Undo: nothing to undo': () => said(undoAnswer({ kind: 'too late', task: task() })),
    'Undo: rated already': () =>
      said(undoAnswer({ kind: 'too late', task: task({ rating: 'OK', decision: decision('applied') }) })),
  }),
];
