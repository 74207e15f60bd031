import { expect, test } from 'vitest';
import { createApproved } from '../../src/features/campaigns/create.ts';
import { createProofSender } from '../../src/features/campaigns/submit.ts';
import {
  emptyProof,
  Proof,
  type SubmissionDraft,
  wording,
} from '../../src/features/campaigns/submit.view.ts';
import { createDrafts } from '../../src/ui/draft.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules, testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { resultRow } from './result-rows.ts';

const redis = redisPerFile();

const draft: SubmissionDraft = {
  ...{ id: 'd1', member: asId('U01ANN'), account: asId('a1'), step: 'form', version: 1 },
  ...{ values: { ...emptyProof, worker: 'w1' }, files: {}, problems: [], sentences: [] },
};

/** The drafts of a form of this name, of which none is ever sent. */
const draftsOf = (name: string, isWorthResuming: boolean) =>
  createDrafts<Proof>(testModules(redis(), {}), {
    ...{ name, values: Proof, wording, isWorthResuming: () => isWorthResuming, pageOf: () => 'form' },
    ...{ prepare: () => Promise.reject(new Error('sent')), refused: () => [] },
    find: async () => ({ isThere: false, sentence: '' }),
  });

test('a draft and which one was the latest expire an hour after a day', async () => {
  await draftsOf('submit', true).replace(ref, draft, draft);
  const keys = await redis().keys('*');
  const seconds = await Promise.all(keys.map((key) => redis().ttl(key)));
  expect(seconds).toHaveLength(2);
  for (const left of seconds) expect(Math.abs(left - 90_000)).toBeLessThan(60);
});

test('of two processes that go on with a version of a draft, one does, and the other gets what that stored', async () => {
  const drafts = draftsOf('two', false);
  await drafts.replace(ref, draft, draft);
  const taken = { ...draft, version: 2, sentences: ['taken back'] };
  const sent = { ...draft, version: 2, step: 'unknown' as const };
  const [first, second] = await Promise.all([
    drafts.replace(ref, draft, sent),
    drafts.replace(ref, draft, taken),
  ]);
  expect([first.isMine, second.isMine].filter(Boolean)).toHaveLength(1);
  expect(first.draft).toEqual(second.draft);
  expect(await drafts.load(ref.workspace, draft.id)).toEqual(first.draft);
});

test.each([
  [3, 'check'],
  [3, 'unknown'],
  [4, 'done'],
])(
  'no campaign is created once its maker was told that nothing was, or has changed it: version %i, %s',
  async (version, step) => {
    const approved = createApproved({
      load: async () => ({ version, step, sentences: [], problems: [] }) as never,
      sendOnce: () => Promise.reject(new Error('sent')),
      lookUp: async (_, given) => given,
      find: async () => ({ isThere: false, sentence: '' }),
    });
    const form = { title: 'A shelf', positions: 10, payment: '0.10', draft: 'd1', version: 3 } as const;
    const by = { by: asId('U01ANN'), how: 'approval' } as never;
    const outcome = await approved.perform(ref, { kind: 'create', ...form }, 'r1', by);
    expect(outcome).toMatchObject({ kind: 'canceled' });
  },
);

test('a proof that the worker had submitted before is not the one that was sent', async () => {
  const at = Date.UTC(2026, 1, 2);
  const finds = async (finishedAt: number) => {
    const row = resultRow({ workerId: asId('w1'), proof: ['done'], finishedAt: new Date(finishedAt) });
    const client = { campaignResults: async () => ({ rows: [row], problems: [] }) };
    const marketplace = { of: async () => client };
    const { find } = createProofSender(onlyModules({ marketplace, clock: { now: () => at } }));
    const sent = { ...draft, values: { ...draft.values, proof: 'done' }, sent: { at, before: [] } };
    return (await find(ref, sent)).isThere;
  };
  expect(await finds(at + 1_000)).toBe(true);
  expect(await finds(at - 86_400_000)).toBe(false);
});
