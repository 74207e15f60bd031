import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../errors.ts';
import { isRecentSign } from './sign-of-life.ts';
import type { Log } from './slack-logger.ts';
import { createIntake } from './socket-intake.ts';
import type { FromThread, ThreadData, ToThread } from './socket-messages.ts';

/*
 * The thread that receives from Slack: it acks what needs no answer while the bot is at work on something else. It is started
 * by socket-in-thread.ts, and ends with it.
 */

const { isTracing, sign, ...options } = workerData as ThreadData;
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

const intake = createIntake(
  { ...options, log, isAtWork: () => isRecentSign(sign) },
  {
    arrived: (arrival) => say({ kind: 'arrived', arrival }),
    problem: (problem) => say({ kind: 'problem', problem }),
  },
);

async function start(): Promise<void> {
  try {
    await intake.start();
    say({ kind: 'connected' });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say({ kind: 'refused', reason: error.message });
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'start') void start();
  else if (message.kind === 'ack') intake.ack(message.id, message.answer);
  else void intake.stop().then(() => say({ kind: 'stopped' }));
});
