import { afterEach, expect, test, vi } from 'vitest';
import { inBackground } from '../../src/features/shared/in-background.ts';

afterEach(() => vi.restoreAllMocks());

test('work that has waited for an hour is not followed by an hour of rest, and returns what it returns', async () => {
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(3_600_000);
  expect(await inBackground(async () => 'done')).toBe('done');
});

test('what the work throws is thrown', async () => {
  await expect(inBackground(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
});
