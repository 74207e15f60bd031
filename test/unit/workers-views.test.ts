import { describe, expect, test } from 'vitest';
import { daysSpan } from '../../src/domain/days.ts';
import {
  type AccountId,
  type CampaignId,
  type MemberId,
  ratings,
  type WorkerId,
} from '../../src/domain/terms.ts';
import { createWorkerTally, type Listing, noTasks, recordOf } from '../../src/domain/worker.ts';
import {
  type FilesState,
  fileComment,
  filesModal,
  filesStatusModal,
  maxFileBytes,
} from '../../src/features/files/files.view.ts';
import { employersMessage } from '../../src/features/worker-side/employers.view.ts';
import {
  changeResultText,
  clearedText,
  idsModal,
  progressModal,
} from '../../src/features/workers/changes.view.ts';
import { workerMessage, workerModal } from '../../src/features/workers/worker.view.ts';
import { workersMessage } from '../../src/features/workers/workers.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { parseIds } from '../../src/slack/parse-ids.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';
import { confirmsOf } from './confirms.ts';

const account = asId<AccountId>('0123456789abcdef');
const large = Object.fromEntries(ratings.map((rating) => [rating, 123_456_789])) as typeof noTasks;
const record = (id: WorkerId) => ({ id, name: hostile.repeat(50), counts: large, campaigns: 999_999 });
const id = <Id extends string>(index: number) => asId<Id>(`${index}`.padEnd(140, 'f'));
const listed = Array.from({ length: 1_000 }, (_, index) => ({
  worker: id<WorkerId>(index),
  at: Date.UTC(2026, 0),
  ...(index % 2 ? { by: asId<MemberId>('U02BEN') } : {}),
}));
const records = new Map(listed.map(({ worker }) => [worker, record(worker)]));
const listing: Listing = { by: asId('U02BEN'), at: 1 };

describe('the list of excluded workers', () => {
  test('keeps to the limits with 1,000 of the longest', () => {
    for (const page of [0, 99, 5_000]) {
      const outcome = hostile.replaceAll('<', '&lt;');
      expectGoodMessage(
        workersMessage({
          account,
          excluded: listed,
          records,
          favorites: listed,
          page,
          renderedAt: 1,
          outcome,
        }),
      );
    }
    const none = workersMessage({
      account,
      excluded: [],
      records: new Map(),
      favorites: [],
      page: 0,
      renderedAt: 1,
    });
    expectGoodMessage(none);
    expect(JSON.stringify(none.blocks)).not.toContain('Remove all');
  });

  test('one worker, the modals and what came of a change keep to them too', () => {
    const state = { account, record: record(id(1)), exclusion: listing, favorite: listing };
    expectGoodMessage(workerMessage({ ...state, outcome: 'Done.' }));
    expectGoodMessage(workerMessage({ account, record: recordOf(asId('w'), new Map()) }));
    expectGoodView(workerModal(state, { channel: asId('C01REVIEW') }));
    expectGoodView(workerModal({ account, record: recordOf(asId(hostile), new Map()) }, {}));
    expectGoodView(idsModal({ account, change: 'exclude', origin: { channel: asId('C01REVIEW') } }));
    expectGoodView(idsModal({ account, change: 'include', origin: {} }));
    expectGoodView(progressModal(1, 100));
    const ids = Array.from({ length: 100 }, () => hostile.repeat(3).slice(0, 100));
    const failed = ids.map((one) => ({ id: one, sentence: 'The marketplace did not answer. '.repeat(10) }));
    const all = { done: ids, already: ids, unknown: ids, presumed: ids, unsure: ids, failed };
    for (const change of ['exclude', 'include'] as const) {
      expectGoodMessage(notice(changeResultText({ change, ...all })));
    }
    for (const count of [0, 1, 2, undefined]) expectGoodMessage(notice(clearedText(count)));
  });

  test('what was not changed and what is not known are told apart', () => {
    const none = { done: [], already: [], unknown: [], presumed: [], unsure: [], failed: [] };
    const unsure = { ...none, unsure: ['w1', 'w2'] };
    expect(changeResultText({ change: 'exclude', ...unsure })).toBe(
      ':warning: It is unclear whether these were excluded: w1, w2. The marketplace gave no clear answer. Try again: whoever is already on the list stays on it.',
    );
    expect(changeResultText({ change: 'include', ...unsure })).toBe(
      ':warning: It is unclear whether these were removed from the exclude list: w1, w2. The marketplace gave no clear answer. Try again: whoever is already off the list stays off it.',
    );
    expect(changeResultText({ change: 'exclude', ...none, presumed: ['w1'] })).toBe(
      ':warning: Excluded, unless the marketplace does not know these ids: w1. Its first answer was lost, so check the ids.',
    );
    const failed = [{ id: 'w1', sentence: 'The marketplace cannot be reached.' }];
    expect(changeResultText({ change: 'exclude', ...none, failed })).toBe(
      ':warning: Not changed: w1. The marketplace cannot be reached.',
    );
  });

  test('whatever excludes or takes off at one click asks first, and says who and what follows', () => {
    const amina = { ...record(asId('w1')), name: 'amina' };
    const list = workersMessage({
      account,
      excluded: [
        { worker: asId('w1'), at: 1 },
        { worker: asId('w2'), at: 2 },
      ],
      records: new Map([['w1', amina]]),
      favorites: [],
      page: 0,
      renderedAt: 1,
    });
    const asked = confirmsOf(list.blocks);
    expect(asked.get('workers.include w1')?.text.text).toBe('amina (w1) can take your campaigns again.');
    expect(asked.get('workers.include w2')?.text.text).toBe('w2 can take your campaigns again.');
    expect(asked.get('workers.include.chosen workers.choose/1')?.text.text).toMatch(
      /^Every worker chosen here can take/,
    );
    expect(asked.get('workers.include.all all')).toMatchObject({
      text: {
        text: expect.stringMatching(/^This clears the account’s whole exclude list.*cannot be undone/),
      },
      style: 'danger',
    });
    const one = confirmsOf(workerMessage({ account, record: amina }).blocks);
    expect(one.get('workers.one.exclude w1')).toMatchObject({
      title: { text: 'Exclude this worker?' },
      text: { text: expect.stringMatching(/^amina \(w1\) can no longer take your campaigns\./) },
      confirm: { text: 'Exclude' },
      deny: { text: 'Do not exclude' },
    });
    const off = confirmsOf(workerMessage({ account, record: amina, exclusion: listing }).blocks);
    expect(off.get('workers.one.include w1')?.text.text).toBe('amina (w1) can take your campaigns again.');

    // What opens a form, or only turns pages, asks nothing: the form is the question.
    const silent = [...asked, ...one, ...off].filter(([, confirm]) => confirm === undefined);
    expect(silent.map(([name]) => name)).toEqual(['workers.ask.exclude form', 'workers.ask.include form']);
  });

  test('a confirmation keeps to the limits with the longest names, and its buttons tell apart', () => {
    const messages = [
      workersMessage({ account, excluded: listed, records, favorites: [], page: 3, renderedAt: 1 }),
      workerMessage({ account, record: record(id(1)) }),
      workerMessage({ account, record: record(id(1)), exclusion: listing }),
      employersMessage({ account, kind: 'included', page: 0 }, [
        { userId: id(1), username: hostile.repeat(9), country: hostile },
      ]),
    ];
    const confirms = messages.flatMap(({ blocks }) =>
      [...confirmsOf(blocks).values()].filter((confirm) => confirm !== undefined),
    );
    expect(confirms).toHaveLength(15);
    for (const { title, text, confirm, deny } of confirms) {
      expect(text.type).toBe('plain_text');
      // Cut where names are too long, never the effect, which stands at the end.
      expect(text.text).not.toMatch(/…$/);
      expect([...text.text].length).toBeLessThanOrEqual(300);
      expect([...(title?.text ?? '')].length).toBeLessThanOrEqual(100);
      for (const label of [confirm, deny])
        expect([...(label?.text ?? 'x'.repeat(31))].length).toBeLessThan(31);
      expect(confirm?.text).not.toBe(deny?.text);
    }
  });

  test('a record adds up what each campaign knows', () => {
    const tasks = [
      { workerId: asId<WorkerId>('w1'), username: '', rating: 'OK' },
      { workerId: asId<WorkerId>('w1'), username: 'amina', rating: 'OK' },
      { workerId: asId<WorkerId>('w1'), username: 'amina', rating: 'NOK' },
      { workerId: asId<WorkerId>('w2'), username: 'ben', rating: 'REVISE' },
    ] as const;
    const tally = createWorkerTally();
    for (const { workerId, username, rating } of tasks) tally.add(workerId, username, rating);
    const one = tally.workers().get(asId('w1'));
    const known = new Map([
      [asId<CampaignId>('c1'), one ?? { name: '', counts: noTasks }],
      [asId<CampaignId>('c2'), { name: '', counts: { ...noTasks, NOTRATED: 1 } }],
    ]);
    expect(recordOf(asId('w1'), known)).toEqual({
      id: 'w1',
      name: 'amina',
      counts: { ...noTasks, OK: 2, NOK: 1, NOTRATED: 1 },
      campaigns: 2,
    });
  });
});

describe('typed ids', () => {
  test('are taken apart, each once', () => {
    expect(parseIds(' a1, b2;c3\n a\u20601 ')).toEqual({ ids: ['a1', 'b2', 'c3'] });
  });

  test.each([
    ['', /at least one/],
    [' ,;\n', /at least one/],
    ['a ALL b', /not an id/],
    [`x ${'y'.repeat(101)}`, /too long/],
    [Array.from({ length: 101 }, (_, index) => index).join(' '), /101 ids/],
  ])('%j is refused', (text, problem) => {
    const read = parseIds(text);
    expect('problem' in read && read.problem).toMatch(problem);
  });
});

describe('the files of a task', () => {
  const card: FilesState = {
    account,
    task: id(1),
    round: 3,
    channel: asId('C01REVIEW'),
    ts: '1700000000.000100',
  };
  const file = (index: number, size = 1_234_567) => ({
    index,
    filename: `${hostile}${'名'.repeat(500)}.png`,
    contentType: hostile.repeat(5),
    size,
  });

  test('keep to the limits, however many and however they stand', () => {
    const files = Array.from({ length: 200 }, (_, index) => file(index + 1));
    const statuses = new Map(
      files.map(({ index }) => [
        index,
        index % 3 === 0
          ? { kind: 'failed' as const, sentence: 'It did not arrive. '.repeat(20) }
          : {
              kind: index % 3 === 1 ? ('posted' as const) : ('under-way' as const),
              by: asId<MemberId>('U02BEN'),
              at: 1,
            },
      ]),
    );
    expectGoodView(filesModal(card, files, statuses));
    expectGoodView(filesModal(card, [], new Map()));
    expectGoodView(filesStatusModal('Asking'));
    expect([...fileComment(file(1), 3, asId('U02BEN'))].length).toBeLessThan(1_000);
    expect(fileComment(file(1), 3, asId('U02BEN'))).not.toContain('<!channel>');
  });

  test('a file that is too large has no button, and says why', () => {
    const view = JSON.stringify(filesModal(card, [file(1, maxFileBytes + 1)], new Map()));
    expect(view).not.toContain('task.files.fetch');
    expect(view).toContain('over the limit of 50.0 MB');
  });
});

describe('a span of days', () => {
  test('goes from the first to the last second in the marketplace’s zone', () => {
    expect(daysSpan('2026-01-31', '2026-02-01', 'America/New_York')).toEqual({
      from: new Date('2026-01-31T05:00:00Z'),
      to: new Date('2026-02-02T04:59:59Z'),
    });
    expect(daysSpan(undefined, '2026-02-31', 'UTC')).toEqual({});
  });
});
