import { describe, expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { AccountId } from '../../src/domain/terms.ts';
import { listUnavailable } from '../../src/features/shared/list.view.ts';
import {
  employersMessage,
  excludeEmployersModal,
  excludeEmployersStatus,
  exclusionResultText,
  notAWorker,
} from '../../src/features/worker-side/employers.view.ts';
import { employerListCodec, taskListCodec } from '../../src/features/worker-side/list-state.ts';
import { tasksMessage } from '../../src/features/worker-side/tasks.view.ts';
import type { Pager, WorkerTask } from '../../src/marketplace/index.ts';
import { notice } from '../../src/slack/notice.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile } from './campaign-samples.ts';
import { confirmsOf } from './confirms.ts';

const account = asId<AccountId>('0123456789abcdef');
const id = <Id extends string>(index: number) => asId<Id>(`${index}`.padEnd(140, 'f'));

describe('the worker side', () => {
  const task: WorkerTask = {
    taskId: asId(id(1)),
    campaignId: asId(id(2)),
    campaignTitle: hostile.repeat(100),
    workerId: asId(id(3)),
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
    expectGoodView(excludeEmployersModal({ list: { account, kind: 'excluded', page: 0 }, origin: {} }));
    const asked = Array.from({ length: 100 }, (_, index) => id(index));
    expectGoodView(
      excludeEmployersStatus(exclusionResultText({ requested: asked, listed: asked.slice(50), added: 3 })),
    );
    for (const added of [0, 1, 100, 'uncounted', undefined] as const) {
      const sentence = exclusionResultText({ requested: asked, listed: undefined, added });
      expectGoodMessage(notice(listUnavailable(sentence, '/proofdesk worker-side')));
    }
    expectGoodMessage(notice(notAWorker(hostile.repeat(20))));
  });

  test('an employer is excluded after a confirmation that says it is for good', () => {
    const employer = { userId: 'e1', username: 'tasty', country: 'France' };
    const { blocks } = employersMessage({ account, kind: 'included', page: 0 }, [employer]);
    expect(confirmsOf(blocks).get('worker.exclude.one e1')).toMatchObject({
      title: { text: 'Exclude this employer?' },
      text: {
        text: 'You will no longer be offered work from tasty (e1). Undoing this is only possible on the website: the API cannot take employers off the list.',
      },
      confirm: { text: 'Exclude' },
      deny: { text: 'Do not exclude' },
      style: 'danger',
    });
  });

  test('what came of excluding employers is told as far as it is known', () => {
    const asked = ['e1', 'e2'];
    expect(exclusionResultText({ requested: asked, listed: [], added: 0 })).toBe(
      ':warning: Not on the list: e1, e2. The marketplace knows no employers with these ids. Check them.',
    );
    expect(exclusionResultText({ requested: asked, listed: ['e1'], added: 'uncounted' })).toMatch(
      /^:white_check_mark: Now on your exclude list: e1\.\n:warning: Not on the list: e2\. .*knows no employers/,
    );
    // No answer: that they are not on the list does not say that they are unknown.
    expect(exclusionResultText({ requested: asked, listed: [], added: undefined })).toBe(
      ':warning: Not on the list: e1, e2. The marketplace gave no clear answer, so they may still be added. Check the list in a minute, and try again if they are missing.',
    );
    expect(exclusionResultText({ requested: asked, listed: asked, added: undefined })).toBe(
      ':white_check_mark: Now on your exclude list: e1, e2.',
    );
    // Without the list, only the number is known.
    const unlisted = (added: number | 'uncounted' | undefined) =>
      exclusionResultText({ requested: asked, listed: undefined, added });
    expect(unlisted(2)).toBe(':white_check_mark: Now on your exclude list: e1, e2.');
    expect(unlisted(1)).toMatch(
      /added 1 of these 2 to your exclude list: e1, e2\..*cannot be loaded right now/,
    );
    expect(unlisted(0)).toMatch(/^:warning: The marketplace added nobody for e1, e2/);
    expect(unlisted('uncounted')).toMatch(/^:white_check_mark: The marketplace accepted these/);
    expect(unlisted(undefined)).toMatch(
      /^:warning: It is unclear whether these were excluded: e1, e2\..*try again if they are missing\.$/,
    );
  });

  test('reads its state back from block ids', () => {
    expect(taskListCodec.decode(taskListCodec.encode('worker.filter', list))).toEqual(list);
    expect(taskListCodec.decode('nonsense')).toBeUndefined();
    expect(taskListCodec.decode('worker.filter/a1/ALL/x/2026-13-01/y')).toEqual({ account: 'a1', page: 0 });
    expect(taskListCodec.update(list, { rating: 'ALL', from: '' })).toEqual({
      account,
      to: list.to,
      page: 0,
    });
    expect(taskListCodec.update(list, { page: '3' })).toEqual({ ...list, page: 3 });
    expect(taskListCodec.update(list, { page: 'x' })).toEqual({ ...list, page: 0 });
    const employers = { account, kind: 'included', page: 2 } as const;
    expect(employerListCodec.decode(employerListCodec.encode('worker.lists', employers))).toEqual(employers);
  });
});
