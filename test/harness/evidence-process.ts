import type { Redis } from 'ioredis';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef } from '../../src/domain/terms.ts';
import { createEvidenceSearch } from '../../src/features/evidence/search.ts';
import { createEvidence } from '../../src/store/evidence.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { type Told, toldTask } from './compared-task.ts';
import { asId } from './ids.ts';
import { onlyModules } from './modules.ts';
import { waitingRow } from './waiting-row.ts';

/** Creates the part of a process that compares tasks, and records what it queues. */
export function evidenceProcess(redis: Redis, ref: AccountRef) {
  const tasks = createTasks(redis);
  const evidence = createEvidence(redis);
  const redrawn: string[] = [];
  const cards = {
    changed: async (_: AccountRef, changed: readonly Task[]) =>
      void redrawn.push(...changed.map(({ id }) => id)),
  };
  const briefs = {
    get: async () => ({ listed: { work: 'Send the code WAY-0000-XX', proof: 'with the code NR-7777-Q' } }),
  };
  const search = createEvidenceSearch(
    onlyModules({
      tasks,
      campaigns: { evidence, briefs },
      slack: { cards },
      log: { warn: () => undefined },
    }),
  );

  /** Stores the record of a newly read task. */
  async function arrives(told: Told & { readonly id: string }): Promise<Task> {
    const { worker, proof, submittedAt, id, campaign } = toldTask(told);
    const more = { readAt: 1, worker, proof, want: 'card' } as const;
    const when = submittedAt === undefined ? {} : { submittedAt };
    const { task } = await tasks.apply(ref, id, waitingRow(id, campaign, undefined, { ...more, ...when }));
    if (task === undefined) throw new Error('not stored');
    return task;
  }

  /** Returns the tasks that a task is similar to, each with the kinds of similarity. */
  async function alike(id: string): Promise<string[]> {
    const task = await tasks.get(ref, asId(id));
    const found = task === undefined ? [] : await evidence.on(ref, task);
    return found.map(({ task: other, kinds }) => `${other} ${kinds.join('+')}`).toSorted();
  }
  return { tasks, evidence, redrawn, search: search.search, arrives, alike };
}
