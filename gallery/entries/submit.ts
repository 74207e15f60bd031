import { resultView } from '../../src/features/campaigns/change.view.ts';
import {
  notSubmitted,
  notSubmittedText,
  type Proof,
  proofMessage,
  proofView,
  severalProblem,
  submitForm,
  submittedText,
  submitting,
  submitUnknownText,
  submitView,
} from '../../src/features/campaigns/submit.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';

const filled: Proof = {
  campaign: { id: asId('7f3a9c21'), title: 'Photograph a shelf in your supermarket' },
  worker: '9a41c7',
  ip: '203.0.113.77',
  proof: paragraph,
};
const largest: Proof = {
  campaign: { id: asId('c1'), title: longest() },
  worker: longest(),
  ip: longest(),
  proof: hostile + '&'.repeat(2_800),
};
const reason = 'The verification code in the proof is wrong. Correct the proof.';

export const submit = [
  ...entriesOf('Submit for a worker', submitView, {
    'Form: empty': () => submitView(undefined, {}),
    'Form: filled in': () => submitView(undefined, filled),
    'Form: several campaigns match': () => submitView(undefined, {}, severalProblem(hostile, 12)),
    'Form: nothing was submitted': () => submitView(undefined, filled, notSubmittedText(reason, true)),
    'Form: an id as long as a select holds': () =>
      submitView(undefined, { campaign: { id: asId('f'.repeat(150)), title: 'Shelf' } }),
    'Form: a longer id': () =>
      submitView(undefined, { campaign: { id: asId('f'.repeat(151)), title: 'Shelf' } }),
    'Form: everything as long as it comes': () => submitView(undefined, largest),
  }),
  ...entriesOf('Submit for a worker', proofView, {
    Sending: () => proofView(filled, ...submitting),
    'Sending everything as long as it comes': () => proofView(largest, ...submitting),
    'Unknown outcome': () => proofView(filled, submitUnknownText(filled)),
  }),
  ...entriesOf('Submit for a worker', resultView, {
    Submitted: () => resultView(submitForm, submittedText(filled, asId('5e1d77a0c3'))),
  }),
  ...entriesOf('Submit for a worker', proofMessage, {
    'Closed: not submitted': () => proofMessage(filled, notSubmitted(filled, reason)),
    'Closed: everything as long as it comes': () => proofMessage(largest, notSubmitted(largest, reason)),
  }),
];
