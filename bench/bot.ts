import { startApp } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';

// A bot as in production, but posting as fast as the benchmark asks: the load is what is measured under.
const app = await startApp(readConfig(process.env), {
  logger: createLogger('warn', []),
  rateLimits: {
    channelMs: Number(process.env.BENCH_CHANNEL_MS ?? 1_000),
    workspaceMs: 1,
    csvBytesPerMinute: 1e9,
  },
});
process.on('message', () => process.send?.(process.resourceUsage().maxRSS * 1024));
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
