import { type Draft, moved, newDraft } from '../../src/features/submit/draft.ts';
import {
  closedMessage,
  draftView,
  interruptedSentence,
  openingView,
  sendAgainProblem,
  sendingView,
  severalProblem,
  submittedSentences,
  unsureSentences,
} from '../../src/features/submit/submit.view.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, reviewChannel } from '../samples/people.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const fresh = newDraft('s1', { member: ann, account, channel: reviewChannel });
const filled: Draft = {
  ...fresh,
  campaign: { id: '7f3a9c21', title: 'Photograph a shelf in your supermarket' },
  worker: '9a41c7',
  ip: '203.0.113.77',
  proof: paragraph,
  sentAt: minutesAgo(3),
  file: {
    id: 'F01LEFT',
    name: 'shelf-left.jpg',
    size: 1_842_113,
    contentType: 'image/jpeg',
    address: 'https://files.slack.com/F01LEFT',
  },
};
const largest: Draft = {
  ...filled,
  campaign: { id: 'c1', title: longest() },
  worker: longest(),
  ip: longest(),
  proof: longest(),
};
const problems = (['campaign', 'worker', 'ip', 'proof', 'file'] as const).map((field) => ({
  field,
  text: 'The marketplace answered “INVALID VALUE”. Change it and try again.',
}));
const unsure = (found: readonly string[] | undefined) =>
  draftView(moved(filled, 'unsure', { said: unsureSentences(filled, found) }));

export const submit = [
  ...entriesOf('Submit for a worker', draftView, {
    'Form: empty': () => draftView(fresh),
    'Form: filled in': () => draftView(filled),
    'Form: one was begun before': () =>
      draftView({ ...fresh, unfinished: { id: 's0', title: hostile, worker: hostile } }),
    'Form: several campaigns match': () => draftView({ ...fresh, problems: [severalProblem(hostile, 12)] }),
    'Form: every field is wrong': () => draftView({ ...filled, problems }),
    'Form: sent before': () => draftView({ ...filled, problems: [sendAgainProblem(filled)] }),
    'Form: everything as long as it comes': () => draftView(largest),
    Submitted: () => draftView(moved(filled, 'done', { said: submittedSentences(filled, '5e1d77a0c3') })),
    'Unclear: the results cannot be read': () => unsure(undefined),
    'Unclear: not in the results': () => unsure([]),
    'Unclear: in the results': () => unsure(['5e1d77a0c3']),
    'Unclear: interrupted': () =>
      draftView(moved(largest, 'unsure', { said: [interruptedSentence(largest)] })),
  }),
  ...entriesOf('Submit for a worker', openingView, { 'Opening what was begun': () => openingView(fresh) }),
  ...entriesOf('Submit for a worker', sendingView, { Sending: () => sendingView(filled) }),
  ...entriesOf('Submit for a worker', closedMessage, {
    'Closed: not submitted': () => closedMessage({ ...filled, problems }),
    'Closed: submitted': () =>
      closedMessage(moved(filled, 'done', { said: submittedSentences(filled, '5e1d77a0c3') })),
  }),
];
