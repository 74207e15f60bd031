import { Session } from 'node:inspector';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Interval at which the collector checks whether there is something to do (ms). */
const intervalMs = 2_000;
/** The event loop counts as idle when it was busy for less than this share of the interval. */
const idleShare = 0.25;
/** Less garbage than this is not worth a pause (bytes). */
const leastGarbage = 8 * 1024 * 1024;
/**
 * Collections take at most this share of the time: over HTTP, acks wait for them, and at most one in a hundred may notice.
 */
const mostOfTime = 0.002;

/**
 * Collects garbage and returns the memory to the system. It stops the thread for some 50 ms. Of V8's collections that can be
 * requested, only the inspector's shrinks the heap.
 */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => resolve()));
  session.disconnect();
}

/** The measurements and the action. */
export interface Collecting {
  readonly now: () => number;
  /** How long the event loop has been busy so far (ms). */
  readonly busyMs: () => number;
  readonly heapBytes: () => number;
  readonly collect: () => Promise<void>;
}

const ofThisThread: Collecting = {
  now: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
  heapBytes: () => getHeapStatistics().used_heap_size,
  collect: collectGarbage,
};

/**
 * Creates a function that collects the garbage of this thread if it has been idle since the last call. V8 lets the heap grow
 * to a multiple of the live objects before it collects old ones, so garbage left by a start or a busy hour would stay for a
 * day.
 */
export function createIdleCollection(given: Partial<Collecting> = {}) {
  const { now, busyMs, heapBytes, collect } = { ...ofThisThread, ...given };
  let last = { at: now(), busy: busyMs() };
  let heapAfter = 0;
  let notBefore = 0;
  let isCollecting = false;
  return async (): Promise<void> => {
    if (isCollecting) return;
    const before = last;
    last = { at: now(), busy: busyMs() };
    const passed = last.at - before.at;
    // After a pause of the whole process, the measurements before it say nothing about its state now.
    const isIdle = passed <= 2 * intervalMs && last.busy - before.busy < passed * idleShare;
    if (!isIdle || last.at < notBefore || heapBytes() < heapAfter + leastGarbage) return;
    isCollecting = true;
    await collect();
    isCollecting = false;
    const ended = now();
    notBefore = ended + (ended - last.at) / mostOfTime;
    heapAfter = heapBytes();
    last = { at: ended, busy: busyMs() };
  };
}

/** From now on, collects garbage whenever the process is idle and has enough of it. */
export function collectWhenIdle(): void {
  const collectIfIdle = createIdleCollection();
  setInterval(() => void collectIfIdle(), intervalMs).unref();
}
