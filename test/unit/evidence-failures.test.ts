import { expect, test } from 'vitest';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { createEvidenceFeature } from '../../src/features/evidence/index.ts';
import { createEvidence } from '../../src/store/evidence.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { evidenceProcess } from '../harness/evidence-process.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

// A task that cannot be compared with others must not keep the others of its account waiting.

const redis = redisPerFile();
const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };

/** Creates the job that compares what waits, with an index that fails for some tasks. */
function searchJob(fails: (task: string) => Error | undefined) {
  const [tasks, evidence] = [createTasks(redis()), createEvidence(redis())];
  const tried: string[] = [];
  const logged: string[] = [];
  const index: typeof evidence.index = {
    ...evidence.index,
    async put(account, task: TaskId, postings) {
      tried.push(task);
      const failure = fails(task);
      if (failure !== undefined) throw failure;
      return evidence.index.put(account, task, postings);
    },
  };
  const feature = createEvidenceFeature(
    onlyModules({
      tasks,
      campaigns: { evidence: { ...evidence, index }, briefs: { get: async () => ({}) } },
      log: { error: (_: object, text: string) => void logged.push(text) },
      jobs: { add: async () => undefined },
    }),
  );
  const run = () => feature.jobs['search-evidence'](ref).catch((error: Error) => error.message);
  return { run, tried, logged, pending: () => evidence.pending.some(ref, 10) };
}

test('One that fails is logged and not tried again; the others are compared', async () => {
  const { arrives } = evidenceProcess(redis(), ref);
  for (const id of ['t1', 't2', 't3']) await arrives({ id, worker: id, slots: [`what ${id} did`], at: 0 });
  const { run, tried, logged, pending } = searchJob((id) =>
    id === 't2' ? new Error('an unexpected text') : undefined,
  );
  expect(await run()).toBeUndefined();
  expect(tried).toEqual(['t1', 't2', 't3']);
  expect(logged).toEqual(['task cannot be compared with others, and is not']);
  expect(await pending()).toEqual([]);
});

test('While Redis is away, what waits stays', async () => {
  const { arrives } = evidenceProcess(redis(), ref);
  for (const id of ['t1', 't2']) await arrives({ id, worker: id, slots: [`what ${id} did`], at: 0 });
  const { run, tried, pending } = searchJob(() => new Error('Connection is closed.'));
  for (let times = 0; times < 5; times += 1) expect(await run()).toBe('Connection is closed.');
  expect(tried).toEqual(Array(5).fill('t1'));
  expect(await pending()).toEqual(['t1', 't2']);
});
