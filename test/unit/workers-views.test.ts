import { describe, expect, test } from 'vitest';
import { daysSpan } from '../../src/domain/days.ts';
import { money } from '../../src/domain/money.ts';
import { ratings } from '../../src/domain/terms.ts';
import { noTasks, recordOf, workersOf } from '../../src/domain/worker.ts';
import { fileComment, filesModal, filesNote, largestFile } from '../../src/features/files/files.view.ts';
import {
  employersMessage,
  noteView as employersNote,
  excludedSentence,
  excludeEmployersView,
  noWorker,
} from '../../src/features/worker-side/employers.view.ts';
import { tasksMessage } from '../../src/features/worker-side/tasks.view.ts';
import {
  decodeEmployerList,
  decodeTaskList,
  encodeEmployerList,
  encodeTaskList,
  filtered,
} from '../../src/features/worker-side/values.ts';
import {
  changedSentence,
  changingView,
  clearedSentence,
  idsForm,
  workerMessage,
  workerModal,
  workersMessage,
} from '../../src/features/workers/workers.view.ts';
import type { Pager, WorkerTask } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/notice.ts';
import { typedIds } from '../../src/slack/typed-ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';

const account = '0123456789abcdef';
const large = Object.fromEntries(ratings.map((rating) => [rating, 123_456_789])) as typeof noTasks;
const record = (id: string) => ({ id, name: hostile.repeat(50), counts: large, campaigns: 999_999 });
const id = (index: number) => `${index}`.padEnd(140, 'f');
const listed = Array.from({ length: 1_000 }, (_, index) => ({
  worker: id(index),
  at: Date.UTC(2026, 0),
  ...(index % 2 ? { by: 'U02BEN' } : {}),
}));
const records = new Map(listed.map(({ worker }) => [worker, record(worker)]));
const listing = { by: 'U02BEN', at: 1 };

describe('the list of excluded workers', () => {
  test('keeps to the limits with 1,000 of the longest', () => {
    for (const page of [0, 99, 5_000]) {
      const outcome = hostile.replaceAll('<', '&lt;');
      expectGoodMessage(
        workersMessage({ account, excluded: listed, records, favorites: listed, page, drawnAt: 1, outcome }),
      );
    }
    const none = workersMessage({
      account,
      excluded: [],
      records: new Map(),
      favorites: [],
      page: 0,
      drawnAt: 1,
    });
    expectGoodMessage(none);
    expect(JSON.stringify(none.blocks)).not.toContain('Take all off');
  });

  test('one worker, the modals and what came of a change keep to them too', () => {
    const state = { account, record: record(id(1)), exclusion: listing, favorite: listing };
    expectGoodMessage(workerMessage({ ...state, outcome: 'Done.' }));
    expectGoodMessage(workerMessage({ account, record: recordOf('w', new Map()) }));
    expectGoodView(workerModal(state, 'C01REVIEW'));
    expectGoodView(workerModal({ account, record: recordOf(hostile, new Map()) }, undefined));
    expectGoodView(idsForm({ account, change: 'exclude', channel: 'C01REVIEW' }));
    expectGoodView(idsForm({ account, change: 'include' }));
    expectGoodView(changingView(1, 100));
    const ids = Array.from({ length: 100 }, () => hostile.repeat(3).slice(0, 100));
    const failed = ids.map((one) => ({ id: one, sentence: 'The marketplace did not answer. '.repeat(10) }));
    const sentence = changedSentence({ change: 'exclude', done: ids, already: ids, unknown: ids, failed });
    expectGoodMessage(notice(sentence));
    for (const count of [0, 1, 2, undefined]) expectGoodMessage(notice(clearedSentence(count)));
  });

  test('a record adds up what each campaign knows', () => {
    const tasks = [
      { workerId: 'w1', username: '', rating: 'OK' },
      { workerId: 'w1', username: 'amina', rating: 'OK' },
      { workerId: 'w1', username: 'amina', rating: 'NOK' },
      { workerId: 'w2', username: 'ben', rating: 'REVISE' },
    ] as const;
    const one = workersOf(tasks).get('w1');
    const known = new Map([
      ['c1', one ?? { name: '', counts: noTasks }],
      ['c2', { name: '', counts: { ...noTasks, NOTRATED: 1 } }],
    ]);
    expect(recordOf('w1', known)).toEqual({
      id: 'w1',
      name: 'amina',
      counts: { ...noTasks, OK: 2, NOK: 1, NOTRATED: 1 },
      campaigns: 2,
    });
  });
});

describe('typed ids', () => {
  test('are taken apart, each once', () => {
    expect(typedIds(' a1, b2;c3\n a\u20601 ')).toEqual({ ids: ['a1', 'b2', 'c3'] });
  });

  test.each([
    ['', /at least one/],
    [' ,;\n', /at least one/],
    ['a ALL b', /not an id/],
    [`x ${'y'.repeat(101)}`, /too long/],
    [Array.from({ length: 101 }, (_, index) => index).join(' '), /101 ids/],
  ])('%j is refused', (text, problem) => {
    const read = typedIds(text);
    expect('problem' in read && read.problem).toMatch(problem);
  });
});

describe('the files of a task', () => {
  const card = { account, task: id(1), round: 3, channel: 'C01REVIEW', ts: '1700000000.000100' };
  const file = (index: number, size = 1_234_567) => ({
    index,
    filename: `${hostile}${'名'.repeat(500)}.png`,
    contentType: hostile.repeat(5),
    size,
  });

  test('keep to the limits, however many and however they stand', () => {
    const files = Array.from({ length: 200 }, (_, index) => file(index + 1));
    const standings = new Map(
      files.map(({ index }) => [
        index,
        index % 3 === 0
          ? { kind: 'failed' as const, sentence: 'It did not arrive. '.repeat(20) }
          : { kind: index % 3 === 1 ? ('posted' as const) : ('under-way' as const), by: 'U02BEN', at: 1 },
      ]),
    );
    expectGoodView(filesModal(card, files, standings));
    expectGoodView(filesModal(card, [], new Map()));
    expectGoodView(filesNote('Asking'));
    expect([...fileComment(file(1), 3, 'U02BEN')].length).toBeLessThan(1_000);
    expect(fileComment(file(1), 3, 'U02BEN')).not.toContain('<!channel>');
  });

  test('a file that is too large has no button, and says why', () => {
    const view = JSON.stringify(filesModal(card, [file(1, largestFile + 1)], new Map()));
    expect(view).not.toContain('task.files.fetch');
    expect(view).toContain('over the limit of 50.0 MB');
  });
});

describe('the worker side', () => {
  const task: WorkerTask = {
    taskId: id(1),
    campaignId: id(2),
    campaignTitle: hostile.repeat(100),
    workerId: id(3),
    csvRecordNr: '1',
    ip: '10.0.0.1',
    finishedAt: new Date(0),
    proof: `${hostile}${'𝔘'.repeat(50_000)}`,
    hasFile: true,
    rating: 'NOTREVIEWED',
    employerComment: hostile.repeat(100),
    workerEarned: money('123456789.12345'),
    bonusWorkerEarned: money('0.00001'),
  };
  const pager = (totalEntries: number): Pager => ({
    currentPage: 1,
    entriesOnThisPage: 10,
    entriesPerPage: 10,
    first: 1,
    last: 10,
    firstPage: 1,
    lastPage: Math.ceil(totalEntries / 10),
    nextPage: undefined,
    previousPage: undefined,
    totalEntries,
  });
  const list = { account, rating: 'OK', from: '2026-01-31', to: '2026-02-01', page: 5 } as const;

  test('keeps to the limits with the longest tasks and employers', () => {
    const tasks = Array.from({ length: 10 }, () => task);
    expectGoodMessage(tasksMessage({ list, tasks, pager: pager(1_000_000), zone: 'UTC' }));
    const none = tasksMessage({ list: { account, page: 0 }, tasks: [], pager: pager(0), zone: 'UTC' });
    expectGoodMessage(none);
    expect(none.text).toContain('none');
    const employer = { userId: id(1), username: hostile.repeat(9), country: hostile };
    const many = Array.from({ length: 500 }, () => employer);
    for (const kind of ['included', 'excluded'] as const) {
      expectGoodMessage(employersMessage({ account, kind, page: 99 }, many, 'Done.'));
      expectGoodMessage(employersMessage({ account, kind, page: 0 }, []));
    }
    expectGoodView(excludeEmployersView(account));
    const asked = Array.from({ length: 100 }, (_, index) => id(index));
    expectGoodView(employersNote(excludedSentence({ asked, listed: asked.slice(50), added: 3 })));
    expectGoodMessage(notice(noWorker(hostile.repeat(20))));
  });

  test('reads its state back from block ids', () => {
    expect(decodeTaskList(encodeTaskList('worker.filter', list))).toEqual(list);
    expect(decodeTaskList('nonsense')).toEqual({ account: '', page: 0 });
    expect(filtered(list, { rating: 'ALL', from: '' })).toEqual({ account, to: list.to, page: 0 });
    const employers = { account, kind: 'included', page: 2 } as const;
    expect(decodeEmployerList(encodeEmployerList('worker.lists', employers))).toEqual(employers);
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
