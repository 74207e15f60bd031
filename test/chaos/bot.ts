import { startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import { defaultIntervals } from '../../src/feature-context.ts';
import { createLogger } from '../../src/logger.ts';
import { maxRequestsPerSecond } from '../../src/marketplace/api-assumptions.ts';
import { defaultRateLimits } from '../../src/store/rate-limiter.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';

/** A bot process of the chaos run: ten times faster than in production, and dies when it is told to, as by kill -9. */
const timeScale = 10;

const faster = <T extends object>(times: T): T =>
  Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Number(ms) / timeScale])) as T;

let dieAt: FaultPoint | undefined;
process.on('message', (point: FaultPoint) => {
  dieAt = point;
});
// The run has ended.
process.on('disconnect', () => process.exit(0));

const config = readConfig(process.env);
await startApp(
  { ...config, pollSeconds: 3, undoSeconds: 1.5 },
  {
    logger: createLogger(config.logLevel, [], process.stdout),
    rateLimits: {
      ...faster(defaultRateLimits),
      marketplacePerSecond: maxRequestsPerSecond * timeScale,
      csvBytesPerMinute: defaultRateLimits.csvBytesPerMinute * timeScale,
    },
    intervals: faster(defaultIntervals),
    timeouts: faster(defaultTimeouts),
    faults: (passing) => {
      if (passing === dieAt) process.kill(process.pid, 'SIGKILL');
    },
  },
);
process.send?.('ready');
