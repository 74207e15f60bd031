import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClock } from '../../src/store/redis.ts';

const minuteMs = 60_000;
let now: number;
beforeEach(() => {
  now = Date.now();
  vi.useFakeTimers({ now });
});
afterEach(() => vi.useRealTimers());

/** A Redis whose clock is ahead of this machine's by `ms`; undefined: it does not answer. */
function redisAhead(ms: number | undefined) {
  const server = Object.assign(new EventEmitter(), {
    ahead: ms,
    async time() {
      if (server.ahead === undefined) throw new Error('Command timed out');
      const at = Date.now() + server.ahead;
      return [Math.floor(at / 1_000), (at % 1_000) * 1_000];
    },
  });
  return server;
}

test('the time is that of Redis, and goes on while Redis does not answer', async () => {
  const redis = redisAhead(-15_000);
  const clock = createClock(redis as never);
  await clock.measure();
  expect(clock.now()).toBe(Date.now() - 15_000);
  redis.ahead = undefined;
  await vi.advanceTimersByTimeAsync(2 * minuteMs);
  expect(clock.now()).toBe(now + 2 * minuteMs - 15_000);
  clock.stop();
});

test('it is compared again each minute, and with each new connection', async () => {
  const redis = redisAhead(0);
  const clock = createClock(redis as never);
  redis.ahead = 3_000;
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect(clock.now()).toBe(Date.now() + 3_000);
  redis.ahead = 5_000;
  redis.emit('ready');
  await vi.advanceTimersByTimeAsync(0);
  expect(clock.now()).toBe(Date.now() + 5_000);
  clock.stop();
});
