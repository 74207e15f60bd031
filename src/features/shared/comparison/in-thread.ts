import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../errors.ts';
import { threadProgram } from '../../../threads.ts';
import type { Compared, Comparison } from './comparison.ts';
import type { Answer, LoggedError, Request, ThreadData } from './messages.ts';

/**
 * Timeout of a comparison (ms): hostile text that takes longer ends the thread, and its task is shown without evidence.
 */
const defaultWaitMs = 60_000;
/** Memory limits of the thread (MB). */
const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Something that compares tasks until it is stopped. */
export type StoppableComparison = Comparison & { stop(): Promise<unknown> };

interface Waiting {
  readonly resolve: (compared: Compared) => void;
  readonly reject: (error: Error) => void;
  readonly late: NodeJS.Timeout;
}

/**
 * Creates a comparison that runs in a worker thread: comparing a task allocates some 5 MB, and collecting that would
 * block the bot's main thread for milliseconds. The thread starts with the first task, and restarts after one that ended
 * it. `compare` throws the comparison's error, or an Error when the thread ended.
 */
export function createThreadComparison({
  redisUrl,
  logger,
  mostWaitMs = () => defaultWaitMs,
}: {
  readonly redisUrl: string;
  readonly logger: Record<'error' | 'warn', (fields: object, text: string) => void>;
  readonly mostWaitMs?: () => number;
}): StoppableComparison {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let last = 0;

  function take(id: number): Waiting | undefined {
    const found = waiting.get(id);
    clearTimeout(found?.late);
    waiting.delete(id);
    return found;
  }

  /** Ends the thread and rejects pending comparisons with the reason. */
  async function end(reason: string): Promise<unknown> {
    const ended = thread;
    thread = undefined;
    for (const id of [...waiting.keys()]) take(id)?.reject(new Error(`comparing ended: ${reason}`));
    return ended?.terminate();
  }

  function start(): Worker {
    const data: ThreadData = { redisUrl };
    const [program, options] = threadProgram('features/shared/comparison/thread');
    const started = new Worker(program, {
      ...options,
      workerData: data,
      resourceLimits: limits,
      // The thread inherits nothing, such as keys.
      env: {},
    });
    // The thread must not keep this process alive.
    started.unref();
    started.on('message', (answer: Answer | LoggedError) => {
      if ('logged' in answer) {
        logger.error(answer.logged.fields, answer.logged.text);
        return;
      }
      const asked = take(answer.id);
      if ('compared' in answer) asked?.resolve(answer.compared);
      else asked?.reject(Object.assign(new Error(answer.error.message), { name: answer.error.name }));
    });
    const ended = (reason: string) => {
      if (thread !== started) return;
      logger.warn({ reason, tasks: waiting.size }, 'comparing of tasks ended');
      void end(reason);
    };
    started.on('error', (error) => ended(messageOf(error)));
    started.on('exit', (code) => ended(`exit ${code}`));
    return started;
  }

  return {
    compare(ref, task, instructions) {
      thread ??= start();
      last += 1;
      const request: Request = { id: last, ref, task, instructions };
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          logger.warn({ task: task.id, tasks: waiting.size }, 'comparing of a task took too long');
          void end('it took too long');
        }, mostWaitMs());
        waiting.set(request.id, { resolve, reject, late });
        thread?.postMessage(request);
      });
    },
    stop: () => end('the bot stops'),
  };
}
