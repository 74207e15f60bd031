import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded into a measured bot: writes the 99th percentile of its event-loop delay (ms) to a file every second. Its threads load
// this, too, and are not measured.
if (isMainThread) {
  const resolution = 10;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  process.on('SIGUSR2', () => delays.reset());
  setInterval(() => {
    // The histogram contains intervals between ticks, which equal the resolution when there is no delay.
    writeFileSync(process.env.BENCH_DELAY_FILE, String(delays.percentile(99) / 1e6 - resolution));
  }, 1_000).unref();
}
