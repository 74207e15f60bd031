import { expect, test } from 'vitest';
import { type Draft, moved, newDraft } from '../../src/features/submit/draft.ts';
import {
  closedMessage,
  draftView,
  goneBeforeProblem,
  interruptedSentence,
  notSentProblem,
  openingView,
  otherAccountProblem,
  sendAgainProblem,
  sendingView,
  severalProblem,
  submittedSentences,
  unsureSentences,
} from '../../src/features/submit/submit.view.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const long = (length: number) => `${hostile} ${'𝔘'.repeat(length - hostile.length - 1)}`;

const longest: Draft = {
  ...newDraft('d'.repeat(36), {
    member: asId('U01ANN'),
    account: asId('a'.repeat(16)),
    campaign: { id: asId('c'.repeat(100)), title: long(3_000) },
    unfinished: { id: 'e'.repeat(36), title: long(3_000), worker: long(3_000) },
  }),
  worker: long(3_000),
  ip: long(3_000),
  proof: long(3_000),
  file: {
    id: 'F1',
    name: long(255),
    size: 10 * 1024 * 1024,
    contentType: 'text/plain',
    address: 'https://files.example/1',
  },
  sentAt: 1e12,
  problems: [
    { text: 'Wrong. '.repeat(600) },
    severalProblem(long(3_000), 1_000),
    ...(['worker', 'ip', 'proof', 'file'] as const).map((field) => ({ field, text: 'Wrong. '.repeat(600) })),
  ],
};

test('every page keeps to the limits with the longest texts, and pings nobody', () => {
  expectGoodView(draftView(newDraft('d', { member: asId('U'), account: asId('a') })));
  expectGoodView(draftView(longest));
  expectGoodMessage(closedMessage(longest));
  for (const problem of [otherAccountProblem, notSentProblem, goneBeforeProblem, sendAgainProblem(longest)]) {
    expectGoodView(draftView({ ...longest, problems: [problem] }));
  }
  expectGoodView(sendingView(longest));
  expectGoodView(openingView(longest));
  expectGoodView(draftView(moved(longest, 'unsure')));
  expectGoodMessage(closedMessage(moved(longest, 'unsure')));
  const ids = Array.from({ length: 100 }, () => long(500));
  for (const said of [
    submittedSentences(longest, long(500)),
    unsureSentences(longest, ids),
    unsureSentences(longest, []),
    unsureSentences(longest, undefined),
    [interruptedSentence(longest)],
  ]) {
    for (const step of ['unsure', 'done'] as const) {
      const draft = moved(longest, step, { said });
      expectGoodView(draftView(draft));
      expectGoodMessage(closedMessage(draft));
    }
  }
});

test('a campaign whose id is too long for an option is left to be chosen', () => {
  const view = draftView({ ...longest, campaign: { id: asId('c'.repeat(151)), title: 'x' } });
  expectGoodView(view);
  expect(JSON.stringify(view)).not.toContain('initial_option');
});
