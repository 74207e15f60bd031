import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a bot that is measured: writes the 99th percentile of its event loop's delay (ms) to a file every second.
const resolution = 10;
const delays = monitorEventLoopDelay({ resolution });
delays.enable();
process.on('SIGUSR2', () => delays.reset());
setInterval(() => {
  // What the histogram has are intervals between ticks, each as long as its resolution when nothing is late.
  writeFileSync(process.env.BENCH_DELAY_FILE, String(delays.percentile(99) / 1e6 - resolution));
}, 1_000).unref();
