import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noFaults } from '../../src/domain/fault-points.ts';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { createSend, type SendDeps } from '../../src/features/decide/send.ts';
import { createLogger } from '../../src/logger.ts';
import { notReplicated } from '../../src/store/replication.ts';
import { defaultTimeouts } from '../../src/store/timeouts.ts';
import { asId } from '../harness/ids.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const now = () => 1_000_000;

/** A task whose decision was sent; nobody waits for the answer any more. */
function unknownTask(id: string): Task {
  const seen = transition(undefined, {
    type: 'seen',
    readAt: 0,
    id: asId<TaskId>(id),
    campaign: asId('c'),
    rating: 'NOTRATED',
    comment: '',
    worker: { id: asId('w'), country: 'Chile', ip: '10.0.0.1' },
    csvRow: '0',
    proof: { slots: ['text'], files: [] },
    want: 'card',
  });
  const decision = { id: `d-${id}`, by: asId<never>('U1'), verdict: 'OK', comment: '', at: 1 } as const;
  return { ...(seen.task as Task), decision: { ...decision, state: 'sending', dueAt: 2, attempts: 1 } };
}

test('decisions whose outcome is unknown are read back once each, whichever jobs could, and leave in one call', async () => {
  const stored = new Map(Array.from({ length: 15 }, (_, n) => [asId<TaskId>(`t${n}`), unknownTask(`t${n}`)]));
  const read: string[] = [];
  const calls: number[] = [];
  const taken = new Set<string>();
  const marketplace = {
    async getTaskInfo(id: string) {
      read.push(id);
      await wait(5);
      return { taskId: id, rating: 'NOTRATED', employerComment: '', proof: ['text'] };
    },
    async rateTasks(_campaign: string, entries: readonly unknown[]) {
      calls.push(entries.length);
      return entries.map(() => ({ answered: true, success: true, errors: [] }));
    },
  };
  const deps = {
    tasks: {
      find: async () => [...stored.keys()],
      get: async (_: AccountRef, id: TaskId) => stored.get(id),
      getMany: async (_: AccountRef, ids: TaskId[]) => ids.flatMap((id) => stored.get(id) ?? []),
      lowest: async () => undefined,
      apply: async (_: AccountRef, id: TaskId, event: Parameters<typeof transition>[1]) => {
        const result = transition(stored.get(id), event);
        if (result.kind === 'done') stored.set(id, result.task);
        return result;
      },
    },
    campaigns: { recordRated: async () => undefined },
    outages: { count: async () => undefined },
    jobs: { add: async () => undefined },
    leases: {
      async acquire(_: AccountRef, name: string) {
        if (taken.has(name)) return undefined;
        taken.add(name);
        return { release: async () => void taken.delete(name) };
      },
    },
    recovery: { maySend: async () => true, mayHaveLostDecisions: async () => false },
    marketplaceOf: async () => marketplace,
    logger: createLogger('silent', []),
    replication: notReplicated,
    timeouts: defaultTimeouts,
    faults: noFaults,
    now,
  } as unknown as SendDeps;
  const { send } = createSend(deps).jobs;
  await Promise.all([send(ref), send(ref), send(ref), send(ref)]);
  expect(read.toSorted()).toEqual([...stored.keys()].toSorted());
  expect(calls).toEqual([15]);
  for (const { decision } of stored.values()) expect(decision?.state).toBe('applied');
});
