import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deadlineOf, sendTime } from '../../src/domain/deadline.ts';

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
