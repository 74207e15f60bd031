import { startApp } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import { createLogger } from '../../src/logger.ts';
import { chaosPace, chaosPatience, chaosRhythm } from './setting.ts';

/** Told by the run: die at the n-th passing of that point from now; null: do not. */
export type Order = { readonly dieAt: { readonly point: FaultPoint; readonly passings: number } | null };

// A bot process that can be told to kill itself, as by kill -9, at a given moment.
let order: Order['dieAt'] = null;
let passings = 0;

process.on('message', (message: Order) => {
  order = message.dieAt;
  passings = 0;
});
// Without the run there is nothing to be tested.
process.on('disconnect', () => process.exit(0));
process.on('unhandledRejection', (error) => {
  process.stderr.write(`something failed that nobody waited for: ${String(error)}\n`);
});

function faults(passing: FaultPoint): Promise<void> | void {
  if (order?.point !== passing) return;
  passings += 1;
  if (passings < order.passings) return;
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

const config = readConfig(process.env);
const app = await startApp(config, {
  logger: createLogger(config.logLevel, [], process.stdout),
  rateLimits: chaosPace,
  intervals: chaosRhythm,
  timeouts: chaosPatience,
  faults,
});
process.send?.('ready');
process.on('SIGTERM', () => {
  void app.stop().finally(() => process.exit(0));
});
