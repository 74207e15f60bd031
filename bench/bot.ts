import { startApp } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';

// A bot as in production, but posting as fast as the benchmark asks: the load is what is measured under.
const app = await startApp(readConfig(process.env), {
  logger: createLogger('warn', []),
  rateLimits: {
    channelMs: Number(process.env.BENCH_CHANNEL_MS ?? 1_000),
    workspaceMs: 1,
    csvBytesPerMinute: Number(process.env.BENCH_CSV_BYTES ?? 1e9),
  },
});
process.on('message', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpuMs = (userCPUTime + systemCPUTime) / 1_000;
  process.send?.({ peak: maxRSS * 1024, now: process.memoryUsage.rss(), cpuMs });
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
