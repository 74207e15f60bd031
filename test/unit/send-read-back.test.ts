import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Faults, noFaults } from '../../src/domain/fault-points.ts';
import type { Task } from '../../src/domain/task.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { createSend, type SendDeps } from '../../src/features/decide/send.ts';
import { createLogger } from '../../src/logger.ts';
import type { CallOptions } from '../../src/marketplace/interface.ts';
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

/** One process with everything it sends by. @param calls how many decisions each call had */
function sender(
  stored: Map<TaskId, Task>,
  other: {
    readonly getTaskInfo?: (id: TaskId) => Promise<unknown>;
    readonly maySend?: () => Promise<unknown>;
    readonly isAfterLoss?: boolean;
    readonly faults?: Faults;
    readonly now?: () => number;
  } = {},
) {
  const calls: number[] = [];
  const deadlines: (number | undefined)[] = [];
  const taken = new Set<string>();
  const record = (count: number, options?: CallOptions) => {
    calls.push(count);
    deadlines.push(options?.deadlineMs);
  };
  const marketplace = {
    getTaskInfo: other.getTaskInfo,
    async rateTask(_campaign: string, _entry: unknown, options?: CallOptions) {
      record(1, options);
    },
    async rateTasks(_campaign: string, entries: readonly unknown[], options?: CallOptions) {
      record(entries.length, options);
      return entries.map(() => ({ answered: true, success: true, errors: [] }));
    },
  };
  const deps = {
    tasks: {
      find: async () => [...stored.keys()],
      get: async (_: AccountRef, id: TaskId) => stored.get(id),
      getMany: async (_: AccountRef, ids: TaskId[]) => ids.flatMap((id) => stored.get(id) ?? []),
      lowest: async () => undefined,
      apply: async (_: AccountRef, which: TaskId | Task, event: Parameters<typeof transition>[1]) => {
        const id = typeof which === 'string' ? which : which.id;
        const result = transition(stored.get(id), event);
        if (result.kind === 'done') stored.set(id, result.task);
        return result;
      },
    },
    access: { standing: async () => ({ role: 'owner' }) },
    accounts: { keyOf: async () => 'a key' },
    campaigns: { recordRated: async () => undefined },
    outages: { count: async () => undefined },
    jobs: { add: async () => undefined },
    cardUpdateLine: { changed: async () => undefined },
    leases: {
      async acquire(_: AccountRef, name: string) {
        if (taken.has(name)) return undefined;
        taken.add(name);
        return { release: async () => void taken.delete(name) };
      },
    },
    recovery: {
      maySend: other.maySend ?? (async () => ({ epoch: 'e1', server: 's1' })),
      mayHaveLostDecisions: async () => other.isAfterLoss === true,
    },
    marketplaceOf: async () => marketplace,
    logger: createLogger('silent', []),
    timeouts: defaultTimeouts,
    faults: other.faults ?? noFaults,
    now: other.now ?? now,
  } as unknown as SendDeps;
  return { send: createSend(deps).jobs.send, calls, deadlines };
}

test('decisions whose outcome is unknown are read back once each, whichever jobs could, and leave in one call', async () => {
  const stored = new Map(Array.from({ length: 15 }, (_, n) => [asId<TaskId>(`t${n}`), unknownTask(`t${n}`)]));
  const read: string[] = [];
  const { send, calls } = sender(stored, {
    async getTaskInfo(id) {
      read.push(id);
      await wait(5);
      return { taskId: id, rating: 'NOTRATED', employerComment: '', proof: ['text'] };
    },
  });
  await Promise.all([send(ref), send(ref), send(ref), send(ref)]);
  expect(read.toSorted()).toEqual([...stored.keys()].toSorted());
  expect(calls).toEqual([15]);
  for (const { decision } of stored.values()) expect(decision?.state).toBe('applied');
});

const id = asId<TaskId>('t1');
const waiting = () => {
  const { decision, ...task } = unknownTask('t1');
  return { ...task, decision: { ...decision, state: 'waiting', attempts: 0 } } as Task;
};

describe('after a loss of data, a decision is read back before it is sent', () => {
  test('and sent when the task is open', async () => {
    const stored = new Map([[id, waiting()]]);
    const { send, calls } = sender(stored, {
      isAfterLoss: true,
      getTaskInfo: async () => ({ taskId: id, rating: 'NOTRATED', employerComment: '', proof: ['text'] }),
    });
    await send(ref);
    expect(calls).toEqual([1]);
    expect(stored.get(id)?.decision).toMatchObject({ state: 'applied', attempts: 1 });
  });

  test('and not sent when it is rated, which nobody is said to have done, though it be the same rating', async () => {
    const stored = new Map([[id, waiting()]]);
    const { send, calls } = sender(stored, {
      isAfterLoss: true,
      getTaskInfo: async () => ({ taskId: id, rating: 'OK', employerComment: '', proof: ['text'] }),
    });
    await send(ref);
    expect(calls).toEqual([]);
    expect(stored.get(id)).toMatchObject({
      rating: 'OK',
      mayHaveLostDecision: true,
      decision: { state: 'overtaken', attempts: 0 },
    });
  });
});

describe('a decision that was claimed is not sent', () => {
  test('when so much of its lease is over that others might read it back before the call has ended', async () => {
    const stored = new Map([[id, waiting()]]);
    let at = now();
    const { send, calls } = sender(stored, {
      now: () => at,
      faults: (passing) => {
        if (passing === 'claimed, not sent')
          at += defaultTimeouts.sendLeaseMs - defaultTimeouts.marketplaceMs / 2 + 1;
      },
    });
    await send(ref);
    expect(calls).toEqual([]);
    expect(stored.get(id)?.decision).toMatchObject({ state: 'sending', rejectedAttempt: 1 });
  });

  test.each([
    ['the end of its lease', 'claimed, not sent', 30_000, 10_000],
    ['the calls of a lost epoch are over', 'checked', 1_000, 14_000],
  ])('else its call ends before %s', async (_, when, ms, deadlineMs) => {
    const stored = new Map([[id, waiting()]]);
    let at = now();
    let checks = 0;
    const { send, calls, deadlines } = sender(stored, {
      now: () => at,
      faults: (passing) => {
        if (passing === when) at += ms;
      },
      async maySend() {
        checks += 1;
        if (when === 'checked' && checks === 2) at += ms;
        return { epoch: 'e1', server: 's1' };
      },
    });
    await send(ref);
    expect(calls).toEqual([1]);
    expect(deadlines).toEqual([deadlineMs]);
  });
});
