import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createThreadComparison } from '../../src/features/shared/comparison/in-thread.ts';
import { isRedisUnavailable } from '../../src/store/redis-errors.ts';
import { toldTask } from '../harness/compared-task.ts';
import { eventually } from '../harness/eventually.ts';
import { evidenceProcess } from '../harness/evidence-process.ts';
import { asId } from '../harness/ids.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';

// Tasks are compared in a thread of their own. It may fail, hang or die: whoever waits hears of it, and the next task is compared.

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const text = 'The chart shows rent twice. After a restart of the app it was correct.';
let server: TestRedis;
let redis: Redis;
/** Serves several tests: threads take long to start from sources. */
let comparison: ReturnType<typeof create>;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  comparison = create();
});
afterEach(async () => {
  await redis.flushall();
  expect(comparison.log).toEqual([]);
});
afterAll(async () => {
  await comparison.stop();
  redis.disconnect();
  await server.stop();
});

/** Creates what compares in a thread. How long it may take can be changed later. */
function create(wait = { ms: 60_000 }) {
  const log: string[] = [];
  const write = (fields: object, said: string) => void log.push(`${said} ${JSON.stringify(fields)}`);
  const logger = { error: write, warn: write };
  const options = { redisUrl: server.url, logger, mostWaitMs: () => wait.ms };
  return { ...createThreadComparison(options), log };
}

/** Stores the record of a task. */
const stored = (id: string, worker: string) =>
  evidenceProcess(redis, ref).arrives({ id, worker, slots: [text], at: 0 });

/**
 * Returns what the thread finds. On a busy machine, where it has the lowest priority, answers of Redis may come too late for
 * it: then the job tries again.
 */
const compared = (by: ReturnType<typeof create>, task: Awaited<ReturnType<typeof stored>>) =>
  eventually('a comparison', () =>
    by.compare(ref, task, '').catch((error: unknown) => {
      if (!isRedisUnavailable(error)) throw error;
      return undefined;
    }),
  );

test('What two tasks share is found and stored by the thread', async () => {
  const [one, other] = [await stored('t1', 'w1'), await stored('t2', 'w2')];
  expect((await compared(comparison, one)).found).toEqual([]);
  const { found, afterAnotherMs } = await compared(comparison, other);
  expect(found.toSorted()).toEqual(['t1', 't2']);
  expect(afterAnotherMs).toBeUndefined();
});

test('Many are compared at once, each with its own answer', async () => {
  const tasks = await Promise.all(Array.from({ length: 10 }, (_, at) => stored(`t${at}`, `w${at}`)));
  const found = await Promise.all(tasks.map((task) => compared(comparison, task)));
  expect(new Set(found.flatMap((one) => one.found)).size).toBe(10);
});

test('While Redis hangs, whoever waits is told so, as by a connection of the process itself', async () => {
  const task = await stored('t1', 'w1');
  await compared(comparison, task);
  server.pause();
  const failure = await comparison.compare(ref, task, '').catch((error: unknown) => error);
  server.resume();
  expect(isRedisUnavailable(failure)).toBe(true);
  expect((await compared(comparison, task)).found).toEqual([]);
});

test('A thread that takes too long is ended, and another one compares what comes next', async () => {
  const wait = { ms: 500 };
  const hurried = create(wait);
  const task = await stored('t1', 'w1');
  server.pause();
  const waiting = [hurried.compare(ref, task, ''), hurried.compare(ref, task, '')];
  const failures = await Promise.allSettled(waiting);
  server.resume();
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(hurried.log.join()).toContain('comparing of a task took too long');
  wait.ms = 60_000;
  expect((await compared(hurried, task)).found).toEqual([]);
  await hurried.stop();
});

test('A task that no thread can compare is an error of that task alone', async () => {
  const broken = { ...toldTask({ id: 't1' }), proof: undefined } as never;
  await expect(comparison.compare(ref, broken, '')).rejects.toThrow('undefined');
  expect((await compared(comparison, await stored('t2', 'w2'))).found).toEqual([]);
});

test('A record that cannot be read is set aside, and the bot logs it', async () => {
  const own = create();
  const one = await stored('t1', 'w1');
  await compared(own, one);
  const other = await stored('t2', 'w2');
  const [key = ''] = await redis.keys('*task:t1');
  await redis.hset(key, 'value', 'no record');
  await compared(own, other);
  expect(own.log).toEqual([expect.stringContaining('"event":"stored-value-unreadable","kind":"task"')]);
  await own.stop();
});

test('Whoever waits when the bot stops is told so', async () => {
  const stopped = create();
  const waiting = expect(stopped.compare(ref, await stored('t1', 'w1'), '')).rejects.toThrow('the bot stops');
  await stopped.stop();
  await waiting;
});
