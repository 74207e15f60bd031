import { startApp } from '../../src/compose.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { FaultPoint } from '../../src/domain/fault-points.ts';
import { createLogger } from '../../src/logger.ts';
import {
  chaosIntervals,
  chaosPollSeconds,
  chaosRateLimits,
  chaosRequestsPerSecond,
  chaosTimeouts,
  chaosUndoSeconds,
} from './settings.ts';

/** A message from the run: the process kills itself when it reaches any of these points. */
export type KillOrder = { readonly dieAt: readonly FaultPoint[] };

/** A message from the bot: it has started, or the point at which it is about to die. */
export type BotMessage = 'ready' | { readonly dyingAt: FaultPoint };

// A bot process that kills itself on the run's order, as by kill -9.
let dieAt: readonly FaultPoint[] = [];

process.on('message', (order: KillOrder) => {
  dieAt = order.dieAt;
});
// The run has ended.
process.on('disconnect', () => process.exit(0));
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unhandled rejection: ${String(error)}\n`);
});

function faults(passing: FaultPoint): Promise<void> | void {
  if (!dieAt.includes(passing)) return;
  send({ dyingAt: passing }, () => process.kill(process.pid, 'SIGKILL'));
  return new Promise(() => undefined);
}

function send(message: BotMessage, then?: () => void): void {
  process.send?.(message, undefined, undefined, then);
}

const read = readConfig(process.env);
const marketplace = { ...read.marketplace, requestsPerSecond: chaosRequestsPerSecond };
const config: Config = {
  ...read,
  marketplace,
  pollSeconds: chaosPollSeconds,
  undoSeconds: chaosUndoSeconds,
};
const app = await startApp(config, {
  logger: createLogger(config.logLevel, [], process.stdout),
  rateLimits: chaosRateLimits,
  intervals: chaosIntervals,
  timeouts: chaosTimeouts,
  faults,
});
send('ready');
process.on('SIGTERM', () => {
  void app.stop().finally(() => process.exit(0));
});
