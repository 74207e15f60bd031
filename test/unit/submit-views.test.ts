import { expect, test } from 'vitest';
import type { CampaignId } from '../../src/domain/terms.ts';
import { closedMessage } from '../../src/features/shared/draft-form/draft-form.view.ts';
import { emptyProof, type SubmissionDraft } from '../../src/features/submit/draft.ts';
import { draftView, wording } from '../../src/features/submit/submit.view.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodView } from './campaign-samples.ts';

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

test('a closed form offers a way back, unless no correction can help', () => {
  const refused = { ...empty, problems: [{ field: 'worker', text: 'Refused.' }] };
  expect(JSON.stringify(closedMessage(wording, refused))).toMatch(/What you typed is kept.*Open the form/);
  const forGood = JSON.stringify(closedMessage(wording, { ...refused, isRefusedForGood: true }));
  expect(forGood).toMatch(/was not submitted\..*Refused\./);
  expect(forGood).not.toMatch(/is kept|Open the form/);
});

test('a campaign whose id is too long for an option is left to be chosen', () => {
  const campaign = { id: asId<CampaignId>('c'.repeat(151)), title: 'x' };
  const view = draftView({ ...empty, values: { ...emptyProof, campaign } });
  expectGoodView(view);
  expect(JSON.stringify(view)).not.toContain('initial_option');
});

test('the proof is not offered as something that may stay empty', () => {
  const proof = draftView(empty).blocks.find(({ block_id }) => block_id === 'proof');
  expect(proof).toMatchObject({ optional: false, hint: { text: 'What the worker wrote as proof.' } });
});
