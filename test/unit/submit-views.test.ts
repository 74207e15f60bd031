import { expect, test } from 'vitest';
import type { CampaignId } from '../../src/domain/terms.ts';
import { nextVersion } from '../../src/features/shared/draft-form/draft.ts';
import {
  closedMessage,
  goneBeforeProblem,
  interruptedSentence,
  notSentProblem,
  openingView,
  otherAccountProblem,
  sendAgainProblem,
  sendingView,
  unknownSentences,
} from '../../src/features/shared/draft-form/draft-form.view.ts';
import { emptyProof, type SubmissionDraft } from '../../src/features/submit/draft.ts';
import {
  draftView,
  foundSentence,
  severalProblem,
  submittedSentences,
  wording,
} from '../../src/features/submit/submit.view.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const long = (length: number) => `${hostile} ${'𝔘'.repeat(length - hostile.length - 1)}`;

const empty: SubmissionDraft = {
  id: 'd',
  member: asId('U'),
  account: asId('a'),
  step: 'form',
  version: 0,
  values: emptyProof,
  files: {},
  uploads: 0,
  problems: [],
  sentences: [],
};

const values = {
  campaign: { id: asId<CampaignId>('c'.repeat(100)), title: long(3_000) },
  worker: long(3_000),
  ip: long(3_000),
  proof: long(3_000),
};

const longest: SubmissionDraft = {
  ...empty,
  id: 'd'.repeat(36),
  member: asId('U01ANN'),
  account: asId('a'.repeat(16)),
  values,
  version: 7,
  unfinished: { id: 'e'.repeat(36), description: wording.subject({ ...empty, values }) },
  files: {
    file: {
      id: 'F1',
      name: long(255),
      size: 10 * 1024 * 1024,
      contentType: 'text/plain',
      address: 'https://files.example/1',
    },
  },
  sent: { at: 1e12, before: [] },
  problems: [
    { text: 'Wrong. '.repeat(600) },
    severalProblem(long(3_000), 1_000),
    ...(['worker', 'ip', 'proof', 'file'] as const).map((field) => ({ field, text: 'Wrong. '.repeat(600) })),
  ],
};

test('every page keeps to the limits with the longest texts, and pings nobody', () => {
  expectGoodView(draftView(empty));
  expectGoodView(draftView(longest));
  expectGoodMessage(closedMessage(wording, longest));
  for (const problem of [
    otherAccountProblem(wording),
    notSentProblem(wording),
    goneBeforeProblem,
    sendAgainProblem(wording, longest),
  ]) {
    expectGoodView(draftView({ ...longest, problems: [problem] }));
  }
  expectGoodView(sendingView(wording, longest));
  expectGoodView(openingView(wording, longest));
  expectGoodView(draftView(nextVersion(longest, 'unknown')));
  expectGoodMessage(closedMessage(wording, nextVersion(longest, 'unknown')));
  const ids = Array.from({ length: 100 }, () => long(500));
  for (const sentences of [
    submittedSentences(longest, long(500)),
    unknownSentences(wording, longest, { isThere: true, sentence: foundSentence(ids) }),
    unknownSentences(wording, longest, { isThere: false, sentence: foundSentence([]) }),
    unknownSentences(wording, longest, undefined),
    [interruptedSentence(wording, longest)],
  ]) {
    for (const step of ['unknown', 'done'] as const) {
      const draft = nextVersion(longest, step, { sentences });
      expectGoodView(draftView(draft));
      expectGoodMessage(closedMessage(wording, draft));
    }
  }
});

test('a closed form offers a way back, unless no correction can help', () => {
  const refused = { ...longest, problems: [{ field: 'worker', text: 'Refused.' }] };
  expect(JSON.stringify(closedMessage(wording, refused))).toMatch(/What you typed is kept.*Open the form/);
  const forGood = JSON.stringify(closedMessage(wording, { ...refused, isRefusedForGood: true }));
  expect(forGood).toMatch(/was not submitted\..*Refused\./);
  expect(forGood).not.toMatch(/is kept|Open the form/);
});

test('a campaign whose id is too long for an option is left to be chosen', () => {
  const campaign = { id: asId<CampaignId>('c'.repeat(151)), title: 'x' };
  const view = draftView({ ...longest, values: { ...values, campaign } });
  expectGoodView(view);
  expect(JSON.stringify(view)).not.toContain('initial_option');
});

test('the proof is not offered as something that may stay empty', () => {
  const proof = draftView(empty).blocks.find(({ block_id }) => block_id === 'proof');
  expect(proof).toMatchObject({ optional: false, hint: { text: 'What the worker wrote as proof.' } });
});
