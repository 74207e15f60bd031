import { expect, test } from 'vitest';
import { account, ann, ben, reviewChannel } from '../../gallery/samples/people.ts';
import { money } from '../../src/domain/money.ts';
import { noContent } from '../../src/domain/queue-message.ts';
import { pageView } from '../../src/features/bulk/page.view.ts';
import { doneView } from '../../src/features/focus/summary.view.ts';
import { boardBlocks } from '../../src/features/home/board.view.ts';
import { listIncomplete } from '../../src/features/polling/incomplete-reads.view.ts';
import { pollingResumed, slackOutageOver } from '../../src/features/polling/polling.view.ts';
import { queueMessage } from '../../src/features/queue/queue.view.ts';
import { asId } from '../harness/ids.ts';
import { visibleText } from '../harness/visible-text.ts';

function board(waiting: number, fields: Partial<Parameters<typeof boardBlocks>[0]> = {}): string {
  const zone = { name: 'Europe/Paris', isKnown: true };
  const counts = { waiting, campaigns: 1, oldest: 0, late: 0, dueToday: 0, undated: 0, unpriced: 0 };
  const none = { subscriptions: 0, isPartial: false, money: money('9.6'), rows: [], page: 0, pages: 1 };
  return visibleText(boardBlocks({ ...counts, ...none, zone, ...fields }));
}

test('Home says of one task that it is due, of none that none is', () => {
  expect(board(1)).toMatch(/\*1 task\* waits for review in one campaign, since .*\. None due today\.\n/);
  expect(board(1)).toContain('*9.60* to be paid if it is rated OK.');
  expect(board(1, { unpriced: 1 })).toContain('The payment for it is not known.');
  expect(board(1, { dueToday: 1, late: 1 })).toContain('*1 due today*, overdue.');
  expect(board(9, { dueToday: 4, late: 1 })).toContain('*4 due today*, 1 of them is overdue.');
  expect(board(9, { dueToday: 4, late: 3 })).toContain(', the oldest since ');
  expect(board(9, { dueToday: 4, late: 3 })).toContain('*4 due today*, 3 of them are overdue.');
});

test('after an outage nothing is counted of which there was none', () => {
  const rest = { campaigns: 0, decisions: 0 };
  const since = (tasks: number, decisions: number) =>
    pollingResumed({ since: 0, until: 1, tasks, decisions, rest }).text;
  expect(since(0, 0)).not.toContain('Since then');
  expect(since(1, 0)).toMatch(/ Since then: 1 new task\.$/);
  expect(since(0, 2)).toMatch(/ Since then: 2 decisions sent\.$/);
  expect(slackOutageOver(0, 1, 0).text).toContain('no card was late');
});

test('a list of which nothing can be read does not say 0 of 1', () => {
  const read = (expected: number) =>
    listIncomplete('campaigns', { read: 0, expected, unreadable: ['a'] }).text;
  expect(read(1)).toContain('the only campaign in it cannot be read.');
  expect(read(3)).toContain('none of its 3 campaigns can be read.');
});

test('a page with one task names it', () => {
  const state = { account, selection: 's', step: 1 };
  const row = { number: 1, id: asId<never>('t1'), campaignTitle: 'Shelf', isTicked: false };
  const shown = { label: '', page: 0, pages: 1, listed: 1, unlisted: 0, rows: [row], notices: [] };
  const ticked = { all: 0, here: 0, unlisted: 0 };
  expect(visibleText(pageView({ state, ticked, ...shown }).blocks)).toContain('Task 1 of 1 that waits.');
});

test('a review in which tasks were skipped does not end with no task waiting', () => {
  const state = { account, session: 's', step: 1 } as never;
  const ends = (skipped: readonly string[], label = '') =>
    visibleText(doneView(state, { counts: { OK: 1 }, skipped } as never, { label, notices: [] }).blocks);
  expect(ends([])).toContain('No task is waiting for review.');
  expect(ends(['t1'])).toContain('No other task is waiting for review.');
  expect(ends(['t1'], 'shelf')).toContain('No other waiting task matches: shelf.');
});

test('the message of waiting tasks says of one task when it is due, and of one other reviewer', () => {
  const message = {
    channel: reviewChannel,
    campaign: asId<never>('c1'),
    ...noContent,
    state: 'waiting' as const,
    waiting: 1,
    oldest: 0,
    runsOutAt: 1,
    soon: 1,
    reviewed: [
      { by: ann, count: 2 },
      { by: ben, count: 1 },
    ],
    otherReviewers: 1,
    changedAt: 0,
    card: { state: 'wanted' as const },
    revision: 1,
  };
  const { text } = queueMessage(account, message, 'Shelf');
  expect(text).toMatch(/1 more task waits for review, since /);
  expect(text).toMatch(/\nIt is due /);
  expect(text).toMatch(/, 1 other\.$/);
});
