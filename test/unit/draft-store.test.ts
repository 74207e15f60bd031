import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { campaignDraft, emptyFields } from '../../src/features/create/draft.ts';
import { pageState } from '../../src/features/shared/draft-form/draft.ts';
import { createDraftStore } from '../../src/features/shared/draft-form/store.ts';
import { emptyProof, type SubmissionDraft, submissionDraft } from '../../src/features/submit/draft.ts';
import { asId } from '../harness/ids.ts';

const file = {
  id: 'F1',
  name: 'a.txt',
  size: 1,
  contentType: 'text/plain',
  address: 'https://files.example/1',
};
const csv = { ...file, id: 'F2', name: 'shops.csv' };

/** Drafts exactly as they were stored before drafts had a format. */
const format1 = {
  campaign: {
    id: 'd1',
    member: 'U01ANN',
    account: 'a1',
    channel: 'C01REVIEW',
    step: 'unsure',
    turn: 4,
    fields: { ...emptyFields, title: 'Shelves', description: 'UNIQUE', proofs: ['A name', 'A street'] },
    problems: [{ field: 'payment', text: 'Too low.' }, { text: 'Look.' }],
    file,
    csv,
    template: { columns: ['Shop'], rows: [['Grocer']], count: 1 },
    uploads: 2,
    sent: { at: 1_000, before: ['c1'] },
    unfinished: { id: 'd0', title: 'Older' },
    said: ['Nobody knows.'],
  },
  submission: {
    id: 'd2',
    member: 'U01ANN',
    account: 'a1',
    step: 'form',
    turn: 3,
    campaign: { id: '12e5', title: 'Photograph a shelf' },
    worker: 'w1',
    ip: '192.0.2.7',
    proof: 'Done.',
    file,
    uploads: 1,
    problems: [{ field: 'ip', text: 'Wrong.' }],
    sentAt: 2_000,
    unfinished: { id: 'd0', title: 'Older', worker: 'w0' },
    said: [],
  },
} as const;

describe('a stored draft', () => {
  test('of a campaign in format 1 is migrated', () => {
    expect(campaignDraft.decode(JSON.stringify(format1.campaign))).toEqual({
      id: 'd1',
      member: 'U01ANN',
      account: 'a1',
      channel: 'C01REVIEW',
      step: 'unknown',
      version: 4,
      values: {
        ...format1.campaign.fields,
        template: { ...format1.campaign.template, of: 'F2' },
      },
      files: { file, csv },
      problems: format1.campaign.problems,
      uploads: 2,
      sent: { at: 1_000, before: ['c1'] },
      sentences: ['Nobody knows.'],
    });
  });

  test('of a submission in format 1 is migrated', () => {
    expect(submissionDraft.decode(JSON.stringify(format1.submission))).toEqual({
      id: 'd2',
      member: 'U01ANN',
      account: 'a1',
      step: 'form',
      version: 3,
      values: {
        campaign: { id: '12e5', title: 'Photograph a shelf' },
        worker: 'w1',
        ip: '192.0.2.7',
        proof: 'Done.',
      },
      files: { file },
      problems: [{ field: 'ip', text: 'Wrong.' }],
      uploads: 1,
      sent: { at: 2_000, before: [] },
      sentences: [],
    });
  });

  test.each([
    'no JSON',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...format1.campaign, step: 'gone' }),
    JSON.stringify({ ...format1.campaign, fields: undefined }),
    JSON.stringify({ format: 3, id: 'd' }),
  ])('that cannot be read is none: %s', (stored) => {
    expect(campaignDraft.decode(stored)).toBeUndefined();
  });
});

test('a modal that was opened before drafts had versions is still understood', () => {
  expect(pageState.decode('{"draft":"d1","turn":4}')).toEqual({ draft: 'd1', version: 4 });
  expect(pageState.decode(pageState.encode({ draft: 'd1', version: 4 }))).toEqual({
    draft: 'd1',
    version: 4,
  });
});

describe('the store of drafts', () => {
  const draft: SubmissionDraft = {
    id: 'd1',
    member: asId('U01ANN'),
    account: asId('a1'),
    step: 'form',
    version: 1,
    values: { ...emptyProof, worker: 'w1' },
    files: {},
    uploads: 0,
    problems: [],
    sentences: [],
  };

  function store() {
    const texts = new Map<string, string>();
    const expiries: number[] = [];
    const log: string[] = [];
    const drafts = createDraftStore(
      {
        expiringTexts: {
          async put(_, name, text, seconds) {
            texts.set(name, text);
            expiries.push(seconds);
          },
          claimedWith: (_, name, text, seconds) => ({ key: name, text, seconds }),
          get: async (_, name) => texts.get(name),
          async remove(_, name) {
            texts.delete(name);
          },
        },
        logger: pino({}, { write: (line: string) => log.push(line) }),
      },
      {
        name: 'submit',
        codec: submissionDraft,
        isWorthResuming: ({ values }) => values.worker !== '',
      },
    );
    return { drafts, texts, expiries, log };
  }

  test('offers the latest draft, and everything expires an hour after a day', async () => {
    const { drafts, texts, expiries } = store();
    await drafts.save(asId('T1'), draft);
    expect(await drafts.unfinished(asId('T1'), asId('U01ANN'))).toEqual(draft);
    expect(await drafts.unfinished(asId('T1'), asId('U02BEN'))).toBeUndefined();
    expect([...texts.keys()]).toEqual(['submit d1', 'submit of U01ANN']);
    expect(expiries).toEqual([90_000, 90_000]);
  });

  test.each([
    ['empty', { values: emptyProof }],
    ['done', { step: 'done' }],
    ['refused for good', { isRefusedForGood: true }],
  ] as const)('does not offer a draft that is %s', async (_, change) => {
    const { drafts } = store();
    await drafts.save(asId('T1'), draft);
    await drafts.save(asId('T1'), { ...draft, ...change });
    expect(await drafts.unfinished(asId('T1'), asId('U01ANN'))).toBeUndefined();
  });

  test('forgets a discarded draft, and only that', async () => {
    const { drafts, texts } = store();
    const other = { ...draft, id: 'd2' };
    await drafts.save(asId('T1'), draft);
    await drafts.save(asId('T1'), other);
    await drafts.discard(asId('T1'), asId('U01ANN'), 'd1');
    expect(await drafts.load(asId('T1'), 'd1')).toBeUndefined();
    expect(await drafts.unfinished(asId('T1'), asId('U01ANN'))).toEqual(other);
    await drafts.discard(asId('T1'), asId('U01ANN'), 'd2');
    expect(texts.size).toBe(0);
  });

  test('reports a draft that cannot be read, and goes on without it', async () => {
    const { drafts, texts, log } = store();
    await drafts.save(asId('T1'), draft);
    texts.set('submit d1', 'no JSON');
    expect(await drafts.load(asId('T1'), 'd1')).toBeUndefined();
    expect(await drafts.unfinished(asId('T1'), asId('U01ANN'))).toBeUndefined();
    expect(log[0]).toContain('stored draft unreadable');
  });
});
