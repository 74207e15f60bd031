import { describe, expect, test } from 'vitest';
import { daysSpan } from '../../src/domain/days.ts';
import type { AccountId, CampaignId, WorkerId } from '../../src/domain/terms.ts';
import { createWorkerTally, type Listing, noTasks, recordOf } from '../../src/domain/worker.ts';
import { changeResultText } from '../../src/features/workers/changes.view.ts';
import { workerMessage } from '../../src/features/workers/worker.view.ts';
import { workersMessage } from '../../src/features/workers/workers.view.ts';
import { parseIds } from '../../src/slack/parse-ids.ts';
import { asId } from '../harness/ids.ts';
import { confirmsOf } from './confirms.ts';

const account = asId<AccountId>('0123456789abcdef');
const listing: Listing = { by: asId('U02BEN'), at: 1 };

describe('the list of excluded workers', () => {
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
    const amina = { id: asId<WorkerId>('w1'), name: 'amina', counts: noTasks, campaigns: 1 };
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

describe('a span of days', () => {
  test('goes from the first to the last second in the marketplace’s zone', () => {
    expect(daysSpan('2026-01-31', '2026-02-01', 'America/New_York')).toEqual({
      from: new Date('2026-01-31T05:00:00Z'),
      to: new Date('2026-02-02T04:59:59Z'),
    });
    expect(daysSpan(undefined, '2026-02-31', 'UTC')).toEqual({});
  });
});
