import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deadlineOf, sendTime } from '../../src/domain/task.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { createDeadlines } from '../../src/kit/task-details.ts';
import { dueLines } from '../../src/ui/words.ts';
import { asId, ref } from '../harness/ids.ts';

const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });

test('without a known time to rate a decision waits for as long as it can be undone', () => {
  fc.assert(
    fc.property(moment, fc.nat(3_600_000), (at, undoMs) => {
      expect(sendTime(at, undoMs, deadlineOf(at, undefined))).toBe(at + undoMs);
    }),
  );
});

test('near the deadline the wait is shorter, and never in the past', () => {
  fc.assert(
    fc.property(
      moment,
      fc.nat(3_600_000),
      moment,
      fc.integer({ min: 1, max: 30 }),
      (at, undoMs, finishedAt, days) => {
        const deadline = deadlineOf(finishedAt, days) ?? Number.NaN;
        const leaves = sendTime(at, undoMs, deadline);
        expect(leaves).toBeGreaterThanOrEqual(at);
        expect(leaves).toBeLessThanOrEqual(at + undoMs);
        if (at <= deadline - 60_000) expect(leaves).toBeLessThanOrEqual(deadline - 60_000);
        else expect(leaves).toBe(at);
      },
    ),
  );
});

test('a task is due its campaign’s days after it was finished, as far as both are known', async () => {
  const day = 86_400_000;
  const known = new Map([[asId<CampaignId>('c1'), 7]]);
  const deadlines = createDeadlines({ getMany: async () => known });
  const task = (id: string, campaign: string, finishedAt?: number, submittedAt?: number) =>
    ({ id, campaign, submittedAt, proof: { slots: [], files: [], finishedAt } }) as never;
  const found = await deadlines.dueAt(ref, [
    task('both', 'c1', day, 5),
    task('submitted', 'c1', undefined, 2 * day),
    task('no time', 'c1'),
    task('no days', 'c2', day),
  ]);
  expect(Object.fromEntries(found)).toEqual({ both: 8 * day, submitted: 9 * day });
});

test('what is due first is not called more', () => {
  expect(dueLines({ late: 0, within: [0, 3, 3] })).toEqual(['• *3* within 24 hours']);
  expect(dueLines({ late: 0, within: [1, 1, 4] })).toEqual([
    '• *1* within 6 hours',
    '• *3* more within 48 hours',
  ]);
});

test('overdue tasks are counted once, and come first', () => {
  expect(dueLines({ late: 1, within: [1, 1, 1] })).toEqual([
    '• *1* is overdue: the marketplace may approve it',
  ]);
  expect(dueLines({ late: 2, within: [3, 3, 3] })).toEqual([
    '• *2* are overdue: the marketplace may approve them',
    '• *1* more within 6 hours',
  ]);
});

test('nothing is said of nothing', () => {
  expect(dueLines({ late: 0, within: [0, 0, 0] })).toEqual([]);
});
