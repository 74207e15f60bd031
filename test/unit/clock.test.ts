import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../src/logger.ts';
import { type Clock, clockJumpMs, correctionFor, createClock } from '../../src/store/clock.ts';
import { createRedisClock, dayMs, type ShiftedClock } from '../harness/clock.ts';
import { eventually } from '../harness/eventually.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

const anyStep = fc
  .integer({ min: -2 * dayMs, max: 2 * dayMs })
  .filter((by) => Math.abs(by) > 3 * clockJumpMs);
const anyTime = fc.integer({ min: 10 * dayMs, max: 100 * dayMs });
const aSecond = fc.integer({ min: 0, max: 1_000 });

test('a step of Redis is made up for, whatever the correction was', () => {
  fc.assert(
    fc.property(anyTime, anyStep, anyStep, aSecond, (time, correction, step, since) => {
      const sample = { raw: time - correction + step, correction, vouched: time - since };
      expect(sample.raw + correctionFor(sample, time)).toBe(time);
    }),
  );
});

test('a step while Redis was away is made up for', () => {
  fc.assert(
    fc.property(anyTime, anyStep, fc.integer({ min: 5_000, max: dayMs }), (time, step, away) => {
      const sample = { raw: time + step, correction: 0, vouched: time - away };
      fc.pre(Math.abs(away + step) > 3 * clockJumpMs);
      expect(sample.raw + correctionFor(sample, time)).toBe(time);
    }),
  );
});

test('of several processes that see a step, the later ones agree with the first', () => {
  fc.assert(
    fc.property(anyTime, anyStep, aSecond, (time, step, since) => {
      const before = { raw: time + step, correction: 0, vouched: time - since };
      const correction = correctionFor(before, time);
      // The first has vouched for the time when it corrected the clock.
      const after = { raw: time + step + 100, correction, vouched: time };
      expect(correctionFor(after, time + 100)).toBe(correction);
    }),
  );
});

test('a process that stood still unnoticed believes the others', () => {
  const stoodStill = fc.integer({ min: 3 * clockJumpMs, max: dayMs });
  fc.assert(
    fc.property(anyTime, stoodStill, aSecond, (time, ms, since) => {
      const sample = { raw: time + ms, correction: 0, vouched: time + ms - since };
      expect(correctionFor(sample, time)).toBe(0);
    }),
  );
});

test('for a process that starts, time does not go back', () => {
  fc.assert(
    fc.property(anyTime, anyStep, anyTime, (raw, correction, vouched) => {
      const time = raw + correctionFor({ raw, correction, vouched }, undefined);
      expect(time).toBeGreaterThanOrEqual(vouched - clockJumpMs);
      if (vouched <= raw + correction) expect(time).toBe(raw + correction);
    }),
  );
});

const aboutMs = 2_000;
let redisClock: ShiftedClock;
let server: TestRedis;
let redis: Redis;
const clocks: Clock[] = [];
let slackAhead: ((time: number) => number) | undefined;
let steps = 0;

async function startClock(): Promise<Clock> {
  const clock = createClock(redis, {
    logger: createLogger('silent', []),
    slackAheadOf: (time) => slackAhead?.(time),
    onRedisStep: () => {
      steps++;
    },
    sampleEveryMs: 50,
  });
  clocks.push(clock);
  await clock.start();
  return clock;
}

const correction = async () => Number((await redis.hget('proofdesk:clock', 'correction')) ?? 0);
const error = (clock: Clock) => Math.abs(clock.now() - Date.now());

beforeAll(async () => {
  redisClock = createRedisClock();
  server = await startRedis({ env: redisClock.env });
  redis = new Redis(server.url);
});
beforeEach(async () => {
  for (const clock of clocks.splice(0)) clock.stop();
  redisClock.shift(0);
  slackAhead = undefined;
  steps = 0;
  await redis.flushall();
});
afterAll(async () => {
  for (const clock of clocks) clock.stop();
  redis.disconnect();
  await server.stop();
  redisClock.remove();
});

test.each([dayMs, -dayMs])('two processes keep the time when Redis is set by %i ms, and back', async (by) => {
  const both = [await startClock(), await startClock()];
  redisClock.shift(by);
  await eventually('the step to be made up for', async () => Math.abs((await correction()) + by) < aboutMs);
  await eventually('the step to be noticed by both', () => steps === 2);
  for (const clock of both) expect(error(clock)).toBeLessThan(aboutMs);
  const third = await startClock();
  expect(error(third)).toBeLessThan(aboutMs);
  redisClock.shift(0);
  await eventually('the way back', async () => Math.abs(await correction()) < aboutMs);
  for (const clock of [...both, third]) expect(error(clock)).toBeLessThan(aboutMs);
  await eventually('the steps to be noticed by all', () => steps === 5);
});

test('a process that starts after Redis was set back goes on where time stood', async () => {
  (await startClock()).stop();
  redisClock.shift(-dayMs);
  const next = await startClock();
  expect(next.now()).toBeGreaterThan(Date.now() - 5_000);
});

test('a correction shrinks, without a step, while Slack confirms the clock of Redis', async () => {
  redisClock.shift(dayMs);
  const both = [await startClock(), await startClock()];
  redisClock.shift(0);
  await eventually('the step to be made up for', async () => (await correction()) > dayMs - 5_000);
  const before = await correction();
  slackAhead = (time) => Date.now() + dayMs - time;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await correction()).toBe(before);
  const began = performance.now();
  slackAhead = (time) => Date.now() - time;
  await eventually('the correction to shrink', async () => (await correction()) < before - 20);
  const shrunk = before - (await correction());
  const most = (performance.now() - began) / 20;
  expect(shrunk).toBeLessThan(most * 1.5 + 5);
  for (const clock of both) expect(Math.abs(clock.now() - Date.now() - before)).toBeLessThan(2_000);
});
