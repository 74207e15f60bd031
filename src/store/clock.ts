import type { Redis } from 'ioredis';

/** How often the difference to Redis's clock is measured (ms). */
const measureEveryMs = 60_000;

/** Creates the clock that all processes share: this machine's, with the difference to Redis's added. */
export function createClock(redis: Pick<Redis, 'time' | 'on'>) {
  let offset = 0;

  /** Measures the difference. While Redis does not answer, the last one is kept. */
  async function measure(): Promise<void> {
    const askedAt = Date.now();
    const [seconds, microseconds] = await redis.time().catch(() => []);
    if (seconds === undefined) return;
    offset = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - (askedAt + Date.now()) / 2;
  }

  // After a failover, Redis may have another clock.
  redis.on('ready', () => void measure());
  const timer = setInterval(() => void measure(), measureEveryMs).unref();
  return {
    measure,
    /** Returns the time (ms since 1970). */
    now: () => Math.round(Date.now() + offset),
    stop: () => clearInterval(timer),
  };
}
