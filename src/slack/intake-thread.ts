import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../errors.ts';
import type { HealthAnswer } from '../http-server.ts';
import { applyProxy } from '../proxy.ts';
import { isRecentHeartbeat } from './heartbeat.ts';
import type { Intake, IntakeListener } from './intake.ts';
import type { FromThread, Step, ThreadData, ToThread } from './intake-messages.ts';
import type { Log } from './slack-logger.ts';

/*
 * The thread that receives from Slack: it acks arrivals that need no answer while the bot is busy. It is started by
 * intake-in-thread.ts, and ends with it. It loads only the modules that its transport needs.
 */

const { settings, isTracing, sign } = workerData as ThreadData;
if (settings.mode === 'socket') applyProxy(settings.proxy);
const say = (message: FromThread) => parentPort?.postMessage(message);

const logged = (level: 'trace' | 'info' | 'warn' | 'error') => (fields: object, text: string) =>
  say({ kind: 'logged', level, fields, text });
const log: Log = {
  trace: logged('trace'),
  info: logged('info'),
  warn: logged('warn'),
  error: logged('error'),
  isLevelEnabled: (level) => isTracing || level !== 'trace',
};

const healthChecks = new Map<string, (answer: HealthAnswer) => void>();
const listener: IntakeListener = {
  arrived: (arrival) => say({ kind: 'arrived', arrival }),
  problem: (problem) => say({ kind: 'problem', problem }),
  health: (path) =>
    new Promise((resolve) => {
      const id = randomUUID();
      healthChecks.set(id, resolve);
      say({ kind: 'health', id, path });
    }),
};

async function createIntake(): Promise<Intake> {
  const parts = { log, isAtWork: () => isRecentHeartbeat(sign) };
  if (settings.mode === 'http') {
    const { createHttpIntake } = await import('./http-intake.ts');
    return createHttpIntake({ ...settings, ...parts }, listener);
  }
  const { createSocketIntake } = await import('./socket-intake.ts');
  return createSocketIntake({ ...settings, ...parts }, listener);
}

const intake = await createIntake();

async function take(step: Step): Promise<void> {
  try {
    if (step === 'start') {
      await intake.start();
      say({ kind: 'started' });
    } else if (intake.open) say({ kind: 'opened', port: await intake.open() });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say({ kind: 'refused', reason: error.message });
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'open' || message.kind === 'start') void take(message.kind);
  else if (message.kind === 'ack') intake.ack(message.id, message.answer);
  else if (message.kind === 'fail') intake.fail(message.id, message.why);
  else if (message.kind === 'health') {
    healthChecks.get(message.id)?.(message.answer);
    healthChecks.delete(message.id);
  } else void intake.stop().then(() => say({ kind: 'stopped' }));
});
