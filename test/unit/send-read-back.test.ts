import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { money } from '../../src/domain/money.ts';
import type { Decision, Task } from '../../src/domain/task.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { transition } from '../../src/domain/transition.ts';
import { NotConnected } from '../../src/errors.ts';
import { asksForPause, noAnswer, noKey } from '../../src/features/decide/decide.view.ts';
import { createSend } from '../../src/features/decide/send.ts';
import { Paused } from '../../src/jobs/queue.ts';
import { type Faults, noFaults } from '../../src/kit/modules.ts';
import { createLogger } from '../../src/logger.ts';
import {
  type CallOptions,
  MarketplaceError,
  sentenceFor,
  TransportError,
} from '../../src/marketplace/index.ts';
import { defaultTimeouts } from '../../src/store/leases.ts';
import { createTasks, type Tasks } from '../../src/store/tasks.ts';
import { gate } from '../harness/eventually.ts';
import { asId, ref } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const now = () => 1_000_000;
const redis = twoRedisClients();

/** A task whose decision was sent; nobody waits for the answer any more. */
function unknownTask(id: string): Task {
  const proof = { slots: ['text'], files: [] };
  const seen = transition(undefined, waitingRow(asId(id), asId('c'), undefined, { proof, want: 'card' }));
  const decision = { id: `d-${id}`, by: asId<never>('U1'), verdict: 'OK', comment: '', at: 1 } as const;
  return { ...(seen.task as Task), decision: { ...decision, state: 'sending', dueAt: 2, attempts: 1 } };
}

/** The same with another decision, or other fields. */
function taskWith(id: string, decision: Partial<Decision>, more: object = {}): Task {
  const known = unknownTask(id);
  return { ...known, ...more, decision: { ...known.decision, ...decision } as Decision };
}
const storing = (...tasks: Task[]) => new Map(tasks.map((task) => [task.id, task]));
const waits = { state: 'waiting', attempts: 0 } as const;

/** One process with everything it sends by. @param calls how many decisions each call had */
function sender(
  stored: Map<TaskId, Task>,
  other: {
    /** Stored in Redis, in place of `stored`. */
    readonly tasks?: Tasks;
    /** Called when it has read what it may send, before it claims any. */
    readonly onRead?: () => Promise<void>;
    readonly onCall?: () => Promise<void>;
    readonly getTaskInfo?: (id: TaskId) => Promise<unknown>;
    readonly faults?: Faults;
    readonly now?: () => number;
    /** What a call with several decisions is answered for each. */
    readonly answers?: readonly object[];
    /** Why the marketplace is not asked at present. */
    readonly away?: Error;
    /** When the next decision is due (ms). */
    readonly next?: number;
  } = {},
) {
  const calls: number[] = [];
  /** The jobs that it adds, how often it records that a campaign has ratings, and the cards it draws. */
  const told = { jobs: [] as unknown[], rated: 0, drawn: 0, entries: [] as unknown[] };
  const deadlines: (number | undefined)[] = [];
  const taken = new Set<string>();
  const record = (count: number, options?: CallOptions) => {
    calls.push(count);
    deadlines.push(options?.deadlineMs);
  };
  const marketplace = {
    getTaskInfo: other.getTaskInfo,
    async rateTask(_campaign: string, entry: unknown, options?: CallOptions) {
      record(1, options);
      told.entries.push(entry);
      await other.onCall?.();
    },
    async rateTasks(_campaign: string, entries: readonly unknown[], options?: CallOptions) {
      record(entries.length, options);
      told.entries.push(...entries);
      return other.answers ?? entries.map(() => ({ answered: true, success: true, errors: [] }));
    },
  };
  const roleIn = async () => {
    await other.onRead?.();
    return { role: 'owner' };
  };
  const changed = async (_: unknown, tasks: readonly unknown[]) => {
    told.drawn += tasks.length;
  };
  const acquire = async (_: AccountRef, name: string) => {
    if (taken.has(name)) return undefined;
    taken.add(name);
    return { release: async () => void taken.delete(name) };
  };
  const deps = onlyModules({
    tasks: other.tasks ?? {
      find: async () => [...stored.keys()],
      get: async (_: AccountRef, id: TaskId) => stored.get(id),
      getMany: async (_: AccountRef, ids: TaskId[]) => ids.flatMap((id) => stored.get(id) ?? []),
      lowest: async () => other.next,
      apply: async (_: AccountRef, which: TaskId | Task, event: Parameters<typeof transition>[1]) => {
        const id = typeof which === 'string' ? which : which.id;
        const result = transition(stored.get(id), event);
        if (result.kind === 'done') stored.set(id, result.task);
        return result;
      },
    },
    people: {
      access: { roleIn },
      accounts: { keyOf: async () => 'a key' },
    },
    campaigns: {
      async recordRated() {
        told.rated += 1;
      },
    },
    marketplace: {
      of: async () => (other.away ? Promise.reject(other.away) : marketplace),
    },
    jobs: {
      add: async (...job: unknown[]) => void told.jobs.push(job),
      leases: { acquire },
      timeouts: defaultTimeouts,
      faults: other.faults ?? noFaults,
    },
    slack: { cards: { changed } },
    clock: { now: other.now ?? now },
    log: createLogger('silent', []),
  });
  return { ...createSend(deps).jobs, calls, deadlines, told };
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

test('a decision that another process sends again meanwhile is not read back', async () => {
  const [first, second] = ['t1', 't2'].map((one) => asId<TaskId>(one)) as [TaskId, TaskId];
  const stored = storing(unknownTask(first), unknownTask(second));
  const read: string[] = [];
  const { send } = sender(stored, {
    async getTaskInfo(one) {
      read.push(one);
      stored.set(second, taskWith('t2', { attempts: 2, dueAt: now() + 30_000 }));
      return { taskId: one, rating: 'NOTRATED', employerComment: '', proof: ['text'] };
    },
  });
  await send(ref);
  expect(read).toEqual([first]);
});

test('decisions with a favorite, with a bonus and without leave in calls of their own, of a hundred at most', async () => {
  const favorite = taskWith('f', { ...waits, favorite: 'add', comment: 'Sharp' });
  const bonus = taskWith('b', { ...waits, bonus: '0.05' });
  const others = Array.from({ length: 101 }, (_, n) => taskWith(`t${n}`, waits));
  const { send, calls, told } = sender(storing(favorite, bonus, ...others));
  await send(ref);
  expect([calls, told.rated]).toEqual([[1, 1, 100, 1], 4]);
  expect(told.entries.slice(0, 3)).toEqual([
    { taskId: 'f', rating: 'OK', comment: 'Sharp', favorite: 'add' },
    { taskId: 'b', rating: 'OK', comment: '', bonus: money('0.05') },
    { taskId: 't0', rating: 'OK', comment: '' },
  ]);
});

test('what a campaign held is released without what others hold', async () => {
  const held = { state: 'held', dueAt: now() + 300_000 } as const;
  const stored = storing(...['t1', 't2'].map((one) => taskWith(one, held, { campaign: asId(`of ${one}`) })));
  const { release, told } = sender(stored);
  await release({ ...ref, campaign: asId('of t1') });
  const due = () => [...stored.values()].map(({ decision }) => decision?.dueAt);
  expect(due()).toEqual([now(), now() + 300_000]);
  await release(ref);
  expect([due(), told.jobs]).toEqual([
    [now(), now()],
    [
      ['send', ref],
      ['send', ref],
    ],
  ]);
});

const id = asId<TaskId>('t1');
const waiting = () => taskWith('t1', waits);

const revise = (change: Partial<Decision>) =>
  taskWith(
    't1',
    { ...waits, verdict: 'REVISE', comment: 'Why', ...change },
    { detailed: true, proof: { slots: ['text'], files: [], finishedAt: 1_000 } },
  );
const answerOf = (rating: string, proof: string) => async () => {
  const employerComment = rating === 'NOTRATED' ? 'Why' : '';
  const finishedAt = new Date(proof === 'text' ? 1_000 : 900_000);
  return { taskId: id, rating, employerComment, proof: [proof], finishedAt, bonusWorkerEarned: money('0') };
};

const late = { dueAt: now() - 5_001 };
/** Sends it twice: once the answer to a lost call would have come, it is read back. */
async function sentLate(task: Task, getTaskInfo: (id: TaskId) => Promise<unknown>) {
  const stored = storing(task);
  let at = now();
  const { send, calls } = sender(stored, { getTaskInfo, now: () => at });
  await send(ref);
  expect(calls).toEqual([]);
  at += defaultTimeouts.marketplaceMs;
  await send(ref);
  return { calls, decision: stored.get(id)?.decision };
}

test.each([
  ['waits', late],
  ['was held, so that a later attempt may be lost', { state: 'held', attempts: 1, dueAt: now() }],
] as const)(
  'a REVISE that leaves more than five seconds late is read back first if it %s, and sent if the task is open',
  async (_, change) => {
    const { calls, decision } = await sentLate(revise(change), answerOf('NOTRATED', 'text'));
    expect(calls).toEqual([1]);
    expect(decision?.state).toBe('applied');
  },
);

test('a REVISE that leaves more than five seconds late is not sent to a proof that was corrected since: the attempt that was lost counts', async () => {
  const { calls, decision } = await sentLate(revise(late), answerOf('NOTRATED', 'corrected'));
  expect(calls).toEqual([]);
  expect(decision?.state).toBe('applied');
});

test('a REVISE that leaves in time, or another verdict, is sent at once', async () => {
  for (const task of [revise({ dueAt: now() - 4_999 }), waiting()]) {
    const { send, calls } = sender(storing(task));
    await send(ref);
    expect(calls).toEqual([1]);
  }
});

test('a decision that two processes have read before either claims it leaves in one call', async () => {
  const seen = { ...waiting(), decision: undefined };
  const [here, there] = [createTasks(redis.first), createTasks(redis.second)];
  const want = 'card' as const;
  await here.apply(ref, id, { ...seen, type: 'seen', readAt: 0, csvRow: '0', want });
  const made = { id: 'd1', by: asId<never>('U1'), verdict: 'OK', comment: '' } as const;
  await here.apply(ref, id, { type: 'decided', decision: made, round: 1, at: 1, sendAt: 2 });
  const [bothHaveRead, otherIsOver] = [gate(), gate()];
  let reading = 0;
  async function onRead() {
    reading += 1;
    if (reading === 2) bothHaveRead.open();
    await bothHaveRead.wait();
  }
  let calling = 0;
  async function onCall() {
    calling += 1;
    if (calling === 2) otherIsOver.open();
    await otherIsOver.wait();
  }
  const processes = [here, there].map((tasks) => sender(new Map(), { tasks, onRead, onCall }));
  await Promise.all(processes.map(({ send }) => send(ref).then(otherIsOver.open)));
  expect(processes.flatMap(({ calls }) => calls)).toEqual([1]);
  expect((await here.get(ref, id))?.decision?.state).toBe('applied');
});

test('the same rating that is found after a call was refused counts as ours: its first attempt was lost', async () => {
  const stored = storing(taskWith('t1', { rejectedAttempt: 1 }));
  const { send, calls } = sender(stored, { getTaskInfo: answerOf('OK', 'text') });
  await send(ref);
  expect(calls).toEqual([]);
  expect(stored.get(id)).toMatchObject({ rating: 'OK', decision: { state: 'applied' } });
});

test('a decision that was claimed is not sent when so much of its lease is over that others might read it back before the call has ended', async () => {
  const stored = storing(waiting());
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

test('a decision that was claimed is sent by a call that ends before the end of its lease', async () => {
  const stored = storing(waiting());
  let at = now();
  const { send, calls, deadlines } = sender(stored, {
    now: () => at,
    faults: (passing) => {
      if (passing === 'claimed, not sent') at += 30_000;
    },
  });
  await send(ref);
  expect(calls).toEqual([1]);
  expect(deadlines).toEqual([10_000]);
});

const refusal = (code: string) => new MarketplaceError({ operation: '', code, text: code } as never);
const failure = (more: object = {}) =>
  new TransportError({ operation: '', reason: '', mayHaveBeenApplied: false, ...more } as never);

const asked = failure({ kind: 'rate-limited', retryAfterMs: 25_000 });

test.each<[string, Error, Decision['state'], seconds?: number, change?: Partial<Decision>]>([
  ['waits as long as it is asked to', asked, 'held', 25],
  ['waits for two seconds if nothing was sent', failure(), 'held', 2],
  ['waits longer each time', failure(), 'held', 16, { attempts: 3 }],
  ['waits for half a minute at most', failure(), 'held', 30, { attempts: 4 }],
  ['is read back if it may have arrived', failure({ mayHaveBeenApplied: true }), 'sending', 30],
  ['waits for a key', new NotConnected(), 'held', 30],
  ['waits for a key that works', refusal('API_KEY_WRONG'), 'held', 30],
  ['is read back after an error of the system', refusal('SYSTEM_ERROR'), 'sending', 30],
  ['is read back sooner if it is young', refusal('SYSTEM_ERROR'), 'sending', 10, { at: now() - 40_000 }],
  ['waits for its campaign', refusal('CAMPAIGN_IS_PAUSED_ADMIN'), 'held', 300],
  ['waits for a review', refusal('CAMPAIGN_IS_PENDING_REVIEW'), 'held', 300],
  ['is over if it is refused', refusal('COMMENT_MISSING'), 'refused'],
])('a decision whose call fails %s', async (_, error, state, seconds, change) => {
  const stored = storing(taskWith('t1', { ...waits, ...change }));
  await sender(stored, { onCall: () => Promise.reject(error) }).send(ref);
  const { decision } = stored.get(id) ?? {};
  const ours = error instanceof NotConnected ? noKey : error === asked ? asksForPause : noAnswer;
  const text = error instanceof MarketplaceError ? sentenceFor(error) : ours;
  const problem = { text, ...(seconds === 300 && { waitsFor: 'campaign' }) };
  expect([decision?.state, decision?.problem]).toEqual([state, state === 'sending' ? undefined : problem]);
  expect(decision?.dueAt).toBe(seconds && now() + 1_000 * seconds);
  expect(decision?.rejectedAttempt).toBe(state === 'sending' ? undefined : (change?.attempts ?? 0) + 1);
});

test('a decision on a task that has a rating is read back: this attempt was not applied, an earlier one may be', async () => {
  const stored = storing(waiting());
  const refused = refusal('ONLY_NOTRATED_TASK_CAN_BE_RATED');
  await sender(stored, { onCall: () => Promise.reject(refused) }).send(ref);
  expect(stored.get(id)?.decision).toMatchObject({ state: 'sending', rejectedAttempt: 1 });
});

test('of several decisions in a call each is what it was answered; one without an answer is read back', async () => {
  const ids = ['t1', 't2', 't3', 't4'].map((one) => asId<TaskId>(one));
  const stored = storing(...ids.map((one) => taskWith(one, waits)));
  const both = ['ONLY_NOTRATED_TASK_CAN_BE_RATED', 'SYSTEM_ERROR'].map((code) => ({ code, text: '' }));
  const unclear = { answered: true, success: false, errors: both };
  const paused = { answered: true, success: false, errors: [{ code: 'CAMPAIGN_IS_PAUSED_ADMIN', text: '' }] };
  const { send, told } = sender(stored, {
    answers: [{ answered: true, success: true, errors: [] }, paused, {}, unclear],
  });
  await send(ref);
  expect(ids.map((one) => stored.get(one)?.decision?.state)).toEqual([
    'applied',
    'held',
    'sending',
    'sending',
  ]);
  // By this very attempt, perhaps.
  expect(stored.get(asId<TaskId>('t4'))?.decision?.rejectedAttempt).toBeUndefined();
  expect(told.rated).toBe(1);
});

test.each([
  ['NO_SUCH_TASK', 'refused'],
  ['NOT_A_CAMPAIGN_OWNER', 'refused'],
  ['SYSTEM_ERROR', 'sending'],
])('a decision that cannot be read back because of %s is %s', async (code, state) => {
  const stored = storing(unknownTask('t1'));
  const { send, calls } = sender(stored, { getTaskInfo: () => Promise.reject(refusal(code)) });
  await send(ref);
  expect(calls).toEqual([]);
  expect(stored.get(id)?.decision?.state).toBe(state);
});

test('a rating is recorded once, answered or found, and drawn', async () => {
  const answered = sender(storing(taskWith('t1', waits)));
  await answered.send(ref);
  expect(answered.told).toMatchObject({ rated: 1, drawn: 1 });
  const found = sender(storing(taskWith('t1', {})), { getTaskInfo: answerOf('OK', 'text') });
  await found.send(ref);
  expect(found.told).toMatchObject({ rated: 1, drawn: 1 });
  const overtaken = sender(storing(taskWith('t1', {})), { getTaskInfo: answerOf('NOK', 'text') });
  await overtaken.send(ref);
  expect(overtaken.told).toMatchObject({ rated: 1, drawn: 1 });
});

test('while the marketplace is away a decision says so once, and one job waits until it may be asked', async () => {
  const held = taskWith('t2', { state: 'held' });
  const stored = storing(waiting(), held);
  const { send, calls, told } = sender(stored, { away: new Paused(7_000, 'marketplace') });
  await send(ref);
  expect(calls).toEqual([]);
  const until = now() + 7_000;
  const problem = { text: noAnswer };
  expect(stored.get(id)?.decision).toMatchObject({ state: 'held', dueAt: until, problem });
  expect(stored.get(held.id)).toEqual(held);
  expect(told.jobs).toEqual([['send', ref, { delayMs: 7_000, uniqueKey: 'a1 away' }]]);
});

test.each([
  [now() + 2_500, { delayMs: 3_000, uniqueKey: 'a1 1003' }],
  [now() - 5_000, { delayMs: 1_000, uniqueKey: 'a1 1001' }],
])(
  'the next decision is sent in the second in which it is due, at the earliest in the next',
  async (next, job) => {
    const { send, told } = sender(new Map(), { next });
    await send(ref);
    expect(told.jobs).toEqual([['send', ref, job]]);
  },
);
