import { expect, test } from 'vitest';
import { giveSigns, isRecentSign } from '../../src/slack/sign-of-life.ts';

/** Keeps the thread busy, as what hangs does (ms). */
function hang(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('a bot that is kept busy for more than a second counts as not at work, until it goes on', async () => {
  const { sign, stop } = giveSigns();
  expect(isRecentSign(sign)).toBe(true);
  hang(1_050);
  expect(isRecentSign(sign)).toBe(false);
  await expect.poll(() => isRecentSign(sign)).toBe(true);
  stop();
});
