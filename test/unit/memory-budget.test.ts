import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryBudget } from '../../src/kit/budgets.ts';

test('what is held never exceeds the budget, and everything gets its turn, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(450), { maxLength: 30 }), fc.scheduler(), async (wanted, scheduler) => {
      const budget = createMemoryBudget(320);
      let held = 0;
      const started: { small: number[]; large: number[] } = { small: [], large: [] };
      const runs = wanted.map((bytes, index) =>
        budget.hold(bytes, async () => {
          const share = Math.min(bytes, 240);
          held += share;
          expect(held).toBeLessThanOrEqual(320);
          (bytes <= 10 ? started.small : started.large).push(index);
          await scheduler.schedule(Promise.resolve());
          held -= share;
        }),
      );
      await scheduler.waitFor(Promise.all(runs));
      for (const order of Object.values(started)) expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(started.small.length + started.large.length).toBe(wanted.length);
    }),
    { numRuns: 50 },
  );
});

test('a small share never waits for a large one', async () => {
  const budget = createMemoryBudget(320);
  let release = () => {};
  const large = budget.hold(1_000, () => new Promise<void>((resolve) => (release = resolve)));
  const next = budget.hold(1_000, async () => 'next');
  expect(await budget.hold(10, async () => 'small')).toBe('small');
  release();
  await large;
  expect(await next).toBe('next');
});

test('what fails gives its share back', async () => {
  const budget = createMemoryBudget(320);
  await expect(budget.hold(320, () => Promise.reject(new Error('broke off')))).rejects.toThrow('broke off');
  expect(await budget.hold(320, async () => 'done')).toBe('done');
});
