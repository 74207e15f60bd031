import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createThrottle } from '../../src/features/shared/throttle.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('each name passes once in a second, independent of the others', () => {
  const passes = createThrottle(1_000);
  expect([passes('T1'), passes('T1'), passes('T2'), passes('T2')]).toEqual([true, false, true, false]);
  vi.advanceTimersByTime(999);
  expect(passes('T1')).toBe(false);
  vi.advanceTimersByTime(1);
  expect([passes('T1'), passes('T2'), passes('T1')]).toEqual([true, true, false]);
});
