import { parentPort, workerData } from 'node:worker_threads';
import { createEvidence } from '../../../store/evidence.ts';
import { openRedis } from '../../../store/redis.ts';
import { createTasks } from '../../../store/tasks.ts';
import { createComparison } from './comparison.ts';
import type { Answer, LoggedError, Outcome, Request, ThreadData } from './messages.ts';

/*
 * The thread that compares tasks. Its own heap keeps its garbage collection from delaying clicks, and it has its own
 * Redis connection. Started by in-thread.ts, and ends with it.
 */

const { redisUrl } = workerData as ThreadData;
const redis = openRedis(redisUrl);
// The caller receives the error, and the bot's own connections log it.
redis.on('error', () => undefined);
const logger = {
  error(fields: object, text: string): void {
    const said: LoggedError = { logged: { fields, text } };
    parentPort?.postMessage(said);
  },
};
const comparison = createComparison({
  evidence: createEvidence(redis, logger),
  tasks: createTasks(redis, logger),
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
