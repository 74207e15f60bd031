import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { noFaults } from '../../../domain/fault-points.ts';
import { createEvidence } from '../../../store/evidence.ts';
import { openRedis } from '../../../store/redis.ts';
import { createTasks } from '../../../store/tasks.ts';
import { createComparison } from './comparison.ts';
import type { Answer, LoggedError, Outcome, Request, ThreadData } from './messages.ts';

/*
 * The thread that compares tasks: it has a heap of its own, so that its garbage collection stops nobody who clicks, and a
 * connection of its own to Redis. It is started by in-thread.ts, and ends with it.
 */

/** The lowest there is: only what others leave. Acks come first where there are few processors. */
const niceness = 19;

/** Only Linux has priorities of threads: elsewhere it would be that of the whole process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const [thread = ''] = /\d+$/u.exec(readlinkSync('/proc/thread-self')) ?? [];
    setPriority(Number(thread), niceness);
  } catch {
    // Not all containers allow it: then it is as important as the others.
  }
}

lowerPriority();
const { redisUrl } = workerData as ThreadData;
const redis = openRedis(redisUrl);
// Whoever asked hears of it, and the bot's own connections log it.
redis.on('error', () => undefined);
const logger = {
  error(fields: object, text: string): void {
    const said: LoggedError = { logged: { fields, text } };
    parentPort?.postMessage(said);
  },
};
const comparison = createComparison({
  evidence: createEvidence(redis, logger),
  tasks: createTasks(redis, noFaults, logger),
});

async function compare({ ref, task, instructions }: Request): Promise<Outcome> {
  try {
    return { compared: await comparison.compare(ref, task, instructions) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { error: { name, message } };
  }
}

parentPort?.on('message', (request: Request) => {
  void compare(request).then((outcome) => {
    const answer: Answer = { id: request.id, ...outcome };
    parentPort?.postMessage(answer);
  });
});
