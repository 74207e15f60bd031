import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a measured bot: writes its event-loop delays (ms) to a file every second; and the longest processor time between
// two turns of the loop, which does not count what other processes took. Its threads load this, too, and are not measured.
if (isMainThread) {
  const resolution = 10;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  let busiest = 0;
  let before = processorMs();
  setInterval(() => {
    const now = processorMs();
    busiest = Math.max(busiest, now - before);
    before = now;
  }, resolution).unref();
  process.on('SIGUSR2', () => {
    delays.reset();
    busiest = 0;
  });
  // The histogram contains intervals between ticks, which equal the resolution when there is no delay.
  const ms = (ns) => Math.max(0, ns / 1e6 - resolution);
  setInterval(() => {
    const [p99, p999, longest] = [delays.percentile(99), delays.percentile(99.9), delays.max].map(ms);
    writeFileSync(process.env.BENCH_DELAY_FILE, JSON.stringify({ p99, p999, longest, busiest }));
  }, 1_000).unref();
}

/** Returns the processor time of this thread so far. */
function processorMs() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}
