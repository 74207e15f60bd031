import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createIdleCollection } from '../../src/idle-collection.ts';

const mb = 1024 * 1024;

/** A thread whose time passes, and whose heap grows, as the test says. */
function startThread() {
  const thread = { now: 0, busy: 0, heap: 40 * mb, alive: 30 * mb, collections: 0 };
  const collectIfIdle = createIdleCollection({
    now: () => thread.now,
    busyMs: () => thread.busy,
    heapBytes: () => thread.heap,
    async collect() {
      thread.collections += 1;
      thread.now += 50;
      thread.busy += 50;
      thread.heap = thread.alive;
    },
  });
  return Object.assign(thread, {
    /** Lets time pass, of which the thread is busy for some at first; every two seconds it looks whether to collect. */
    async pass(ms: number, { busy = 0, garbage = 0 } = {}): Promise<number> {
      thread.busy += busy;
      thread.heap += garbage * mb;
      for (let left = ms; left > 0; left -= 2_000) {
        thread.now += Math.min(left, 2_000);
        await collectIfIdle();
      }
      return thread.collections;
    },
    /** The whole process stands still, as on a machine that sleeps. */
    async standStill(ms: number): Promise<number> {
      thread.now += ms;
      await collectIfIdle();
      return thread.collections;
    },
  });
}

test('what a start left behind is collected once the thread is idle, not while it is busy', async () => {
  const thread = startThread();
  expect(await thread.pass(2_000, { busy: 600 })).toBe(0);
  expect(await thread.pass(2_000, { busy: 100 })).toBe(1);
});

test('a thread that has just gone on after a pause is not idle: clicks may have waited for it', async () => {
  const thread = startThread();
  expect(await thread.standStill(60_000)).toBe(0);
  expect(await thread.pass(2_000, { busy: 1_000 })).toBe(0);
  expect(await thread.pass(2_000)).toBe(1);
});

test('an idle thread without garbage is left alone', async () => {
  const thread = startThread();
  await thread.pass(2_000);
  expect(await thread.pass(60_000, { garbage: 7 })).toBe(1);
  expect(await thread.pass(60_000, { garbage: 1 })).toBe(2);
  thread.alive = 80 * mb;
  expect(await thread.pass(60_000, { garbage: 60 })).toBe(3);
  // All of it is alive.
  expect(await thread.pass(60_000)).toBe(3);
});

test('collections take at most a five-hundredth of the time', async () => {
  const thread = startThread();
  await thread.pass(2_000);
  expect(await thread.pass(24_000, { garbage: 20 })).toBe(1);
  expect(await thread.pass(1_000)).toBe(2);
});

test('while one collection is under way, no other begins', async () => {
  let collections = 0;
  let finish: () => void = () => undefined;
  const collectIfIdle = createIdleCollection({
    now: clockOf(2_000),
    busyMs: () => 0,
    collect() {
      collections += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  });
  const first = collectIfIdle();
  await collectIfIdle();
  finish();
  await first;
  expect(collections).toBe(1);
});

test('what nobody refers to any more is freed', async () => {
  const unused = new WeakRef({ payload: 'of an earlier click' });
  await nextRound();
  await createIdleCollection({ now: clockOf(2_000), busyMs: () => 0 })();
  expect(unused.deref()).toBeUndefined();
});

/** Returns a clock on which so much time passes between two looks at it. */
function clockOf(stepMs: number): () => number {
  let now = 0;
  return () => {
    now += stepMs;
    return now;
  };
}
