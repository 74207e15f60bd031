import { expect, test } from 'vitest';
import type { Verdict } from '../../src/domain/terms.ts';
import { createBulkWork } from '../../src/features/bulk/work.ts';
import type { RoleInAccount } from '../../src/kit/access.ts';
import { asId } from '../harness/ids.ts';
import { onlyModules } from '../harness/modules.ts';

const ref = { workspace: asId<never>('T0SANDBOX'), account: asId<never>('838e09ee9b402010') };
const now = 1_000_000;
const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
const open = (id: string) => ({ id, round: 1, rating: 'NOTRATED' });

interface Working {
  /** Called with how many tasks are decided. */
  readonly onDecision?: (decided: number, rating: { state: string }) => void;
  /** What its maker may by now. */
  readonly access?: RoleInAccount;
  readonly verdict?: Verdict;
  /** The records of its tasks, where they are not simply open. */
  readonly records?: Readonly<Record<string, object | undefined>>;
  /** What it is so far. */
  readonly begun?: { readonly state: string; readonly results?: unknown[]; readonly changedAt?: number };
  /** Who looks at which task. */
  readonly reviewing?: Readonly<Record<string, string>>;
  readonly isLeased?: boolean;
  readonly comment?: string;
}

/** A bulk rating of 20 tasks. */
function working(given: Working = {}) {
  const { onDecision, access = { role: 'owner' }, verdict = 'OK', records = {}, reviewing = {} } = given;
  const rating = {
    id: 'b1',
    state: 'deciding',
    member: 'U01ANN',
    team: 'T0SANDBOX',
    verdict,
    text: '',
    items: ids.map((task) => ({ task, round: 1 })),
    results: ids.map((): unknown => null),
    changedAt: now,
    ...given.begun,
  };
  const stored = new Map<string, object | undefined>(
    ids.map((id) => [id, id in records ? records[id] : open(id)]),
  );
  let looks = 0;
  const decided: string[] = [];
  const undone: string[] = [];
  const work = createBulkWork({
    ...onlyModules({
      people: { access: { roleIn: async () => access } },
      tasks: {
        get: async (_: unknown, id: string) => stored.get(id),
        byId: async () => stored,
        focusSessions: { get: async (_: unknown, id: string) => ({ id, member: id }) },
        leases: { owners: async () => new Map(Object.entries(reviewing)) },
        bulkRatings: {
          async get() {
            looks += 1;
            if (looks > 100) throw new Error('it goes on for ever');
            return { ...rating };
          },
          async apply(_: unknown, __: unknown, event: { results: ReadonlyMap<number, unknown> }) {
            for (const [index, result] of event.results) rating.results[index] = result;
            if (rating.state !== 'sending' && !rating.results.includes(null)) rating.state = 'done';
            return { record: rating };
          },
        },
      },
      jobs: {
        faults: async () => undefined,
        leases: { acquire: async () => (given.isLeased ? undefined : { release: async () => undefined }) },
        timeouts: { leaseMs: 15_000 },
      },
      clock: { now: () => now },
    }),
    decisions: {
      async rate(_: unknown, { task }: { task: string }) {
        decided.push(task);
        onDecision?.(decided.length, rating);
        return { kind: 'undone', task: { id: task, undone: [] } };
      },
      async undo(_: unknown, { task }: { task: string }, decision: string) {
        undone.push(task);
        stored.set(task, { ...open(task), undone: [decision] });
      },
    },
    fill: async (_: unknown, { id }: { id: string }) => (id === 't3' ? (given.comment ?? '') : ''),
  } as never);
  return { decided, undone, results: rating.results, run: () => work.run({ ...ref, rating: 'b1' } as never) };
}

test('a process that stalled while its bulk rating was undone decides on no more tasks', async () => {
  const { decided, run } = working({
    onDecision(count, rating) {
      // Another process has taken its lease over, and undone the rating.
      if (count === 3) rating.state = 'done';
    },
  });
  await run();
  // The tasks begun at the same moment.
  expect(decided).toHaveLength(5);
});

test('a bulk rating that was confirmed decides nothing once its maker may not rate, and each result says so', async () => {
  const { decided, results, run } = working({ access: { role: 'viewer' } });
  await run();
  expect(decided).toEqual([]);
  expect(results).toEqual(ids.map(() => ({ kind: 'barred' })));
});

test('a bulk rating waits while Slack cannot be asked whether its maker may rate', async () => {
  const { decided, results, run } = working({ access: { role: undefined, refusal: 'unchecked' } });
  expect(await run()).toEqual({ again: 30_000 });
  expect(decided).toEqual([]);
  expect(results).toEqual(ids.map(() => null));
});

test('a bulk rating whose reason was lost on the way refuses nobody', async () => {
  const { decided, results, run } = working({ verdict: 'NOK' });
  await run();
  expect(decided).toEqual([]);
  expect(results).toEqual(ids.map(() => ({ kind: 'failed' })));
});

test('what somebody reviews, what nobody knows any more, and what would get too long a comment is not decided on', async () => {
  const { decided, results, run } = working({
    reviewing: { t1: 'U02BEN', t4: 'U01ANN' },
    records: { t2: undefined },
    comment: 'x'.repeat(3_001),
  });
  await run();
  expect(decided).toEqual(ids.filter((id) => !['t1', 't2', 't3'].includes(id)));
  expect(results.slice(1, 4)).toEqual([
    { kind: 'reviewed', by: 'U02BEN' },
    { kind: 'unknown' },
    { kind: 'too long' },
  ]);
});

const decision = (index: number, state: string) => ({ id: `bulk-b1-${index}`, state });

test('Undo all takes back what can be, also what a process that died has decided; the rest is not decided on', async () => {
  const { decided, undone, results, run } = working({
    begun: { state: 'undoing' },
    records: {
      t0: { ...open('t0'), decision: decision(0, 'waiting') },
      t1: { ...open('t1'), decision: decision(1, 'applied') },
    },
  });
  await run();
  expect([decided, undone]).toEqual([[], ['t0']]);
  expect(results.slice(0, 3)).toMatchObject([{ kind: 'undone' }, { kind: 'applied' }, { kind: 'undone' }]);
});

test.each([
  [5_000, 1_000],
  [100_000, 10_000],
  [900_000, 60_000],
])('what has become of the decisions of %i ms ago is asked again after %i', async (age, again) => {
  const sent = ids.map((_, index) => ({ kind: 'waiting', decision: decision(index, '').id }));
  const records = { t0: { ...open('t0'), decision: decision(0, 'applied') } };
  const begun = { state: 'sending', results: sent, changedAt: now - age };
  const { results, run } = working({ begun, records });
  expect(await run()).toEqual({ again });
  expect(results[0]).toMatchObject({ kind: 'applied' });
});

test('a bulk rating on which another process works is left to it', async () => {
  const { decided, run } = working({ isLeased: true });
  expect(await run()).toEqual({ again: 500 });
  expect(decided).toEqual([]);
});
