import {
  draftView,
  emptyProof,
  foundSentence,
  type SubmissionDraft,
  severalProblem,
  submittedSentences,
  wording,
} from '../../src/features/campaigns/submit.view.ts';
import { nextVersion, type Problem } from '../../src/ui/draft.ts';
import {
  closedMessage,
  formPage,
  note,
  openingView,
  sendAgainProblem,
  sendingView,
  unknownSentences,
  unknownView,
} from '../../src/ui/draft-form.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { image, unfilled } from '../samples/drafts.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const fresh: SubmissionDraft = { ...unfilled('s1', 'form'), values: emptyProof };
const filled: SubmissionDraft = {
  ...fresh,
  values: {
    campaign: { id: asId('7f3a9c21'), title: 'Photograph a shelf in your supermarket' },
    worker: '9a41c7',
    ip: '203.0.113.77',
    proof: paragraph,
  },
  files: { file: image },
};
const sent: SubmissionDraft = { ...filled, sent: { at: minutesAgo(3), before: [] } };
const largest: SubmissionDraft = {
  ...filled,
  values: {
    campaign: { id: asId('c1'), title: longest() },
    worker: longest(),
    ip: longest(),
    proof: longest(),
  },
};
const offered: SubmissionDraft = {
  ...fresh,
  values: { ...filled.values, campaign: { id: asId('c1'), title: hostile }, worker: hostile },
};
const problems = (['campaign', 'worker', 'ip', 'proof', 'file'] as const).map((field) => ({
  field,
  text: 'The marketplace answered “INVALID VALUE”. Change it and try again.',
}));
const withProblems = (wrong: readonly Problem[]) => nextVersion(filled, 'form', { problems: wrong });
const done = nextVersion(filled, 'done', { sentences: submittedSentences(filled, '5e1d77a0c3') });
const unknown = (found: readonly string[] | undefined) => {
  const look = found && { isThere: found.length > 0, sentence: foundSentence(found) };
  return nextVersion(sent, 'unknown', { sentences: unknownSentences(wording, sent, look) });
};

export const submit = [
  ...entriesOf('Submit for a worker', [draftView, formPage], {
    'Form: empty': () => draftView(fresh),
    'Form: filled in': () => draftView(filled),
    'Form: offers an unfinished draft': () =>
      draftView({ ...fresh, unfinished: { id: 's0', description: wording.subject(offered) } }),
    'Form: several campaigns match': () => draftView({ ...fresh, problems: [severalProblem(hostile, 12)] }),
    'Form: every field is wrong': () => draftView(withProblems(problems)),
    'Form: sent before': () => draftView(withProblems([sendAgainProblem(wording, sent)])),
    'Form: everything as long as it comes': () => draftView(largest),
  }),
  ...entriesOf('Submit for a worker', [draftView, note], { Submitted: () => draftView(done) }),
  ...entriesOf('Submit for a worker', [draftView, unknownView], {
    'Unknown outcome: the results cannot be read': () => draftView(unknown(undefined)),
    'Unknown outcome: not in the results': () => draftView(unknown([])),
    'Unknown outcome: in the results': () => draftView(unknown(['5e1d77a0c3'])),
  }),
  ...entriesOf('Submit for a worker', openingView, { 'Opening a draft': () => openingView(wording, fresh) }),
  ...entriesOf('Submit for a worker', sendingView, { Sending: () => sendingView(wording, filled) }),
  ...entriesOf('Submit for a worker', closedMessage, {
    'Closed: not submitted': () => closedMessage(wording, withProblems(problems)),
    'Closed: submitted': () => closedMessage(wording, done),
  }),
];
