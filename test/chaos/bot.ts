import { startApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config.ts';
import { defaultIntervals, type FaultPoint } from '../../src/kit/modules.ts';
import { createLogger } from '../../src/logger.ts';
import { maxRequestsPerSecond } from '../../src/marketplace/api-assumptions.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { defaultRateLimits } from '../../src/store/pauses.ts';

/**
 * A bot process of the chaos run: ten times faster than in production, unless its timeouts are to be the real ones. It dies
 * when it is told to, as by kill -9.
 */
const timeScale = 10;
const timeoutScale = process.env.REAL_TIMEOUTS ? 1 : timeScale;

const faster = <T extends object>(times: T, scale: number): T =>
  Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Number(ms) / scale])) as T;

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
      ...faster(defaultRateLimits, timeScale),
      marketplacePerSecond: maxRequestsPerSecond * timeScale,
      csvBytesPerMinute: defaultRateLimits.csvBytesPerMinute * timeScale,
    },
    // Redis is lost more often than cards are usually redrawn.
    intervals: { ...faster(defaultIntervals, timeoutScale), redrawMs: 1_000 },
    timeouts: faster(defaultTimeouts, timeoutScale),
    faults: (passing) => {
      if (passing === dieAt) process.kill(process.pid, 'SIGKILL');
    },
  },
);
process.send?.('ready');
