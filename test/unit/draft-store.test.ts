import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { campaignDraft } from '../../src/features/create/draft.ts';
import { emptyProof, type SubmissionDraft, submissionDraft } from '../../src/features/submit/draft.ts';
import { createDraftStore } from '../../src/ui/draft-sending.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

const file = {
  id: 'F1',
  name: 'a.txt',
  size: 1,
  contentType: 'text/plain',
  address: 'https://files.example/1',
};
const _csv = { ...file, id: 'F2', name: 'shops.csv' };

describe('a stored draft', () => {
  test.each(['no JSON', 'null', '[]', '{}', JSON.stringify({ id: 'd1', step: 'gone' })])(
    'that cannot be read is none: %s',
    (stored) => {
      expect(campaignDraft.decode(stored)).toBeUndefined();
    },
  );
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
    const logged: string[] = [];
    const drafts = createDraftStore(
      onlyModules({
        jobs: {
          expiringTexts: {
            async put(_: unknown, name: string, text: string, seconds: number) {
              texts.set(name, text);
              expiries.push(seconds);
            },
            claimedWith: (_: unknown, name: string, text: string, seconds: number) => ({
              key: name,
              text,
              seconds,
            }),
            get: async (_: unknown, name: string) => texts.get(name),
            async remove(_: unknown, name: string) {
              texts.delete(name);
            },
          },
        },
        log: pino({}, { write: (line: string) => logged.push(line) }),
      }),
      {
        name: 'submit',
        codec: submissionDraft,
        isWorthResuming: ({ values }) => values.worker !== '',
      },
    );
    return { drafts, texts, expiries, log: logged };
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
