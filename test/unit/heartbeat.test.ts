import { expect, test } from 'vitest';
import { isRecentHeartbeat, startHeartbeat } from '../../src/slack/heartbeat.ts';

/** Keeps the thread busy, as what hangs does (ms). */
function hang(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('a bot that is kept busy for more than a second counts as not at work, until it goes on', async () => {
  const { sign, stop } = startHeartbeat();
  expect(isRecentHeartbeat(sign)).toBe(true);
  hang(1_050);
  expect(isRecentHeartbeat(sign)).toBe(false);
  await expect.poll(() => isRecentHeartbeat(sign)).toBe(true);
  stop();
});
