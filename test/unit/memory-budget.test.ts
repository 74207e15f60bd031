import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryBudget } from '../../src/features/shared/memory-budget.ts';

test('what is held never exceeds the budget, and everything gets its turn, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(150), { maxLength: 30 }), fc.scheduler(), async (wanted, scheduler) => {
      const budget = createMemoryBudget(100);
      let held = 0;
      const started: number[] = [];
      const runs = wanted.map((bytes, index) =>
        budget.hold(bytes, async () => {
          held += Math.min(bytes, 100);
          expect(held).toBeLessThanOrEqual(100);
          started.push(index);
          await scheduler.schedule(Promise.resolve());
          held -= Math.min(bytes, 100);
        }),
      );
      await scheduler.waitFor(Promise.all(runs));
      expect(started).toEqual(wanted.map((_, index) => index));
    }),
    { numRuns: 50 },
  );
});

test('what fails gives its share back', async () => {
  const budget = createMemoryBudget(10);
  await expect(budget.hold(10, () => Promise.reject(new Error('broke off')))).rejects.toThrow('broke off');
  expect(await budget.hold(10, async () => 'done')).toBe('done');
});
