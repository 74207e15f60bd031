import { describe, expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { AccountId } from '../../src/domain/terms.ts';
import {
  employersMessage,
  noteView as employersNote,
  excludedSentence,
  excludeEmployersView,
  listAway,
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
import type { Pager, WorkerTask } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/notice.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';
import { confirmsOf } from './confirms.ts';

const account = asId<AccountId>('0123456789abcdef');
const id = <Id extends string>(index: number) => asId<Id>(`${index}`.padEnd(140, 'f'));

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
    expectGoodView(excludeEmployersView({ account, channel: asId('C01REVIEW') }));
    const asked = Array.from({ length: 100 }, (_, index) => id(index));
    expectGoodView(employersNote(excludedSentence({ asked, listed: asked.slice(50), added: 3 })));
    for (const added of [0, 1, 100, 'unsaid', undefined] as const) {
      const sentence = excludedSentence({ asked, listed: undefined, added });
      expectGoodMessage(notice(listAway(sentence)));
    }
    expectGoodMessage(notice(noWorker(hostile.repeat(20))));
  });

  test('an employer is excluded after a confirmation that says it is for good', () => {
    const employer = { userId: 'e1', username: 'tasty', country: 'France' };
    const { blocks } = employersMessage({ account, kind: 'included', page: 0 }, [employer]);
    expect(confirmsOf(blocks).get('worker.exclude.one e1')).toMatchObject({
      title: { text: 'Exclude this employer?' },
      text: {
        text: 'You are not offered the work of tasty (e1) any more. The API cannot take them off the list again: that is done on the website.',
      },
      confirm: { text: 'Exclude' },
      deny: { text: 'Do not exclude' },
      style: 'danger',
    });
  });

  test('what came of excluding employers is told as far as it is known', () => {
    const asked = ['e1', 'e2'];
    expect(excludedSentence({ asked, listed: [], added: 0 })).toBe(
      ':warning: Not on the list: e1, e2. The marketplace does not know employers of these ids. Check them.',
    );
    expect(excludedSentence({ asked, listed: ['e1'], added: 'unsaid' })).toMatch(
      /^:white_check_mark: On your exclude list now: e1\.\n:warning: Not on the list: e2\. .*does not know/,
    );
    // No answer: that they are not on the list does not say that they are unknown.
    expect(excludedSentence({ asked, listed: [], added: undefined })).toBe(
      ':warning: Not on the list: e1, e2. The marketplace gave no clear answer, so it is not known whether this was done. Look at the list in a minute, then try again.',
    );
    expect(excludedSentence({ asked, listed: asked, added: undefined })).toBe(
      ':white_check_mark: On your exclude list now: e1, e2.',
    );
    // Without the list, only the number is known.
    const unlisted = (added: number | 'unsaid' | undefined) =>
      excludedSentence({ asked, listed: undefined, added });
    expect(unlisted(2)).toBe(':white_check_mark: On your exclude list now: e1, e2.');
    expect(unlisted(1)).toMatch(
      /added 1 of these 2 to your exclude list: e1, e2\..*cannot be read at present/,
    );
    expect(unlisted(0)).toMatch(/^:warning: The marketplace added nobody for e1, e2/);
    expect(unlisted('unsaid')).toMatch(/^:white_check_mark: The marketplace took this/);
    expect(unlisted(undefined)).toMatch(/^:warning: Not known whether excluded: e1, e2\..*try again\.$/);
  });

  test('reads its state back from block ids', () => {
    expect(decodeTaskList(encodeTaskList('worker.filter', list))).toEqual(list);
    expect(decodeTaskList('nonsense')).toEqual({ account: '', page: 0 });
    expect(filtered(list, { rating: 'ALL', from: '' })).toEqual({ account, to: list.to, page: 0 });
    const employers = { account, kind: 'included', page: 2 } as const;
    expect(decodeEmployerList(encodeEmployerList('worker.lists', employers))).toEqual(employers);
  });
});
