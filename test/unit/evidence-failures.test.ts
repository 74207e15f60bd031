import { expect, test } from 'vitest';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createEvidenceFeature } from '../../src/features/evidence/index.ts';
import { createComparison } from '../../src/features/shared/comparison/comparison.ts';
import { createEvidence } from '../../src/store/evidence.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { evidenceProcess } from '../harness/evidence-process.ts';
import { asId } from '../harness/ids.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

// A task that cannot be compared with others must not keep the others of its account waiting.

const redis = redisPerFile();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

/** Creates the job that compares what waits. @param fails says for which tasks, and with what */
function searchJob(fails: (task: string) => Error | undefined) {
  const [tasks, evidence] = [createTasks(redis()), createEvidence(redis())];
  const real = createComparison({ evidence, tasks });
  const tried: string[] = [];
  const logged: string[] = [];
  const comparison = {
    async compare(account: AccountRef, task: Task, instructions: string) {
      tried.push(task.id);
      const failure = fails(task.id);
      if (failure !== undefined) throw failure;
      return real.compare(account, task, instructions);
    },
  };
  const logger = {
    error: (_: object, text: string) => void logged.push(text),
    warn: () => undefined,
    info: () => undefined,
  };
  const none = { add: async () => undefined, get: async () => ({}) };
  const feature = createEvidenceFeature({
    tasks,
    evidence,
    comparison,
    logger,
    jobs: none,
    briefs: none,
    faults: () => undefined,
  } as never);
  const run = () => feature.jobs['search-evidence'](ref).catch((error: Error) => error.message);
  return { run, tried, logged, pending: () => evidence.pending.some(ref, 10) };
}

test('One that fails is tried three times, and then not any more; the others are compared at once', async () => {
  const { arrives } = evidenceProcess(redis(), ref);
  for (const id of ['t1', 't2', 't3']) await arrives({ id, worker: id, slots: [`what ${id} did`], at: 0 });
  const { run, tried, logged, pending } = searchJob((id) =>
    id === 't2' ? new Error('comparing ended') : undefined,
  );
  expect(await run()).toBe('tasks not compared with others: comparing ended');
  expect(tried).toEqual(['t1', 't2', 't3']);
  expect(await pending()).toEqual(['t2']);
  expect(await run()).toBe('tasks not compared with others: comparing ended');
  expect(logged).toEqual([]);
  expect(await run()).toBeUndefined();
  expect(logged).toEqual(['task cannot be compared with others, and is not']);
  expect(await pending()).toEqual([]);
});

test('While Redis is away nothing counts as tried', async () => {
  const { arrives } = evidenceProcess(redis(), ref);
  for (const id of ['t1', 't2']) await arrives({ id, worker: id, slots: [`what ${id} did`], at: 0 });
  const away = new Error('Connection is closed.');
  const { run, tried, pending } = searchJob(() => away);
  for (let times = 0; times < 5; times += 1) expect(await run()).toBe('Connection is closed.');
  expect(tried).toEqual(Array(5).fill('t1'));
  expect(await pending()).toEqual(['t1', 't2']);
});
